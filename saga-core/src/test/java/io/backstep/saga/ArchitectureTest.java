package io.backstep.saga;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noMethods;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.Architectures.LayeredArchitecture;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import java.util.Timer;
import java.util.UUID;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/** The rules of the core that a compiler doesn't check. */
@AnalyzeClasses(packages = "io.backstep.saga", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

    private static final String ROOT = "io.backstep.saga";

    /** Bottom layer first; above all of them nothing. */
    private static final List<String> PACKAGES = List.of(
            "time", "definition", "state", "store", "serialization", "participant", "messaging", "engine", "admin");

    @ArchTest
    static final ArchRule nobody_imports_upwards = layers();

    @ArchTest
    static final ArchRule every_class_lives_in_a_layer =
            classes().should().resideInAnyPackage(layerPackages()).allowEmptyShould(true);

    @ArchTest
    static final ArchRule no_package_cycles =
            slices().matching(ROOT + ".(**)").should().beFreeOfCycles().allowEmptyShould(true);

    @ArchTest
    static final ArchRule only_serialization_sees_jackson = noClasses()
            .that()
            .resideOutsideOfPackage(in("serialization"))
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("tools.jackson..", "com.fasterxml.jackson..")
            .allowEmptyShould(true);

    @ArchTest
    static final ArchRule clocks_ids_and_threads_come_from_the_ports = noClasses()
            .that(areNoAdapters())
            .should()
            .accessTargetWhere(readsTheClock())
            .orShould()
            .accessTargetWhere(on(System.class, "nanoTime", "currentTimeMillis"))
            .orShould()
            .accessTargetWhere(on(UUID.class, "randomUUID"))
            .orShould()
            .accessTargetWhere(touchesThread())
            .orShould()
            .dependOnClassesThat()
            .belongToAnyOf(Timer.class)
            .allowEmptyShould(true);

    @ArchTest
    static final ArchRule no_synchronized_methods = noMethods()
            .that()
            .areDeclaredInClassesThat(areNoAdapters())
            .should()
            .haveModifier(JavaModifier.SYNCHRONIZED)
            .allowEmptyShould(true);

    @ArchTest
    static final ArchRule the_state_machine_is_pure = noClasses()
            .that()
            .resideInAPackage(in("state"))
            .should()
            .dependOnClassesThat()
            .belongToAnyOf(Clock.class, Instant.class, Random.class, RandomGenerator.class)
            .orShould()
            .dependOnClassesThat()
            .resideInAnyPackage("org.slf4j..", "java.util.concurrent..", in("time"))
            .allowEmptyShould(true);

    @ArchTest
    static final ArchRule names_say_what_a_class_does = noClasses()
            .should()
            .haveSimpleNameEndingWith("Manager")
            .orShould()
            .haveSimpleNameEndingWith("Util")
            .orShould()
            .haveSimpleNameEndingWith("Utils")
            .orShould()
            .haveSimpleNameEndingWith("Impl")
            .allowEmptyShould(true);

    @ArchTest
    static final ArchRule nothing_is_loaded_by_name = noClasses()
            .should()
            .accessTargetWhere(on(Class.class, "forName"))
            .orShould()
            .accessTargetWhere(on(ClassLoader.class, "loadClass"))
            .orShould()
            .dependOnClassesThat()
            .resideInAPackage("javax.naming..")
            .allowEmptyShould(true);

    private static LayeredArchitecture layers() {
        LayeredArchitecture rule = layeredArchitecture()
                .consideringOnlyDependenciesInLayers()
                .withOptionalLayers(true)
                .layer("saga")
                .definedBy(ROOT)
                .whereLayer("saga")
                .mayNotAccessAnyLayer();
        for (String name : PACKAGES) {
            rule = rule.layer(name).definedBy(in(name));
        }
        for (int i = 0; i < PACKAGES.size(); i++) {
            rule = rule.whereLayer(PACKAGES.get(i)).mayOnlyAccessLayers(below(i));
        }
        return rule;
    }

    private static String[] below(int layer) {
        return Stream.concat(Stream.of("saga"), PACKAGES.subList(0, layer).stream())
                .toArray(String[]::new);
    }

    private static String[] layerPackages() {
        return Stream.concat(Stream.of(ROOT), PACKAGES.stream().map(ArchitectureTest::in))
                .toArray(String[]::new);
    }

    private static String in(String layer) {
        return ROOT + "." + layer + "..";
    }

    private static DescribedPredicate<JavaClass> areNoAdapters() {
        return describe(
                "are neither adapters of saga.time nor the in-memory store",
                type -> !isOrIsIn(type, ROOT + ".time") && !isOrIsIn(type, ROOT + ".store.InMemorySagaStore"));
    }

    private static boolean isOrIsIn(JavaClass type, String name) {
        return type.getName().equals(name)
                || type.getName().startsWith(name + ".")
                || type.getName().startsWith(name + "$");
    }

    private static DescribedPredicate<JavaAccess<?>> readsTheClock() {
        return describe(
                "the machine's clock is read",
                access -> access.getTargetOwner().getPackageName().equals("java.time")
                        && (access.getName().equals("now") || access.getName().startsWith("system")));
    }

    private static DescribedPredicate<JavaAccess<?>> touchesThread() {
        return describe(
                "java.lang.Thread is used", access -> access.getTargetOwner().isAssignableTo(Thread.class));
    }

    private static DescribedPredicate<JavaAccess<?>> on(Class<?> owner, String... names) {
        return describe(
                "the target is " + owner.getSimpleName() + "." + String.join("/", names),
                access -> access.getTargetOwner().isAssignableTo(owner)
                        && List.of(names).contains(access.getName()));
    }
}

package io.backstep.saga;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.source.doctree.DocCommentTree;
import com.sun.source.doctree.DocTree;
import com.sun.source.doctree.ParamTree;
import com.sun.source.doctree.ReturnTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.ModifiersTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.TypeParameterTree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.DocTrees;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreePath;
import com.sun.source.util.TreePathScanner;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import javax.lang.model.element.Modifier;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;

/**
 * What is public in a published module has Javadoc. The javadoc tool checks what is written; it can't be asked what is missing,
 * because on Java 17 it wants each {@code @param} of a record again on its compact constructor, and comments on private fields.
 */
class JavadocTest {

    private static final List<String> PUBLISHED =
            List.of("saga-core", "saga-jdbc-store", "saga-spring-boot-starter", "saga-test");

    @Test
    void everything_public_in_a_published_module_is_documented() throws IOException {
        List<Path> files = SourceFilesTest.sources("src/main/java")
                .filter(file ->
                        PUBLISHED.stream().anyMatch(module -> file.startsWith(SourceFilesTest.PROJECT.resolve(module))))
                .toList();

        assertThat(missing(files)).isEmpty();
    }

    private static List<String> missing(List<Path> files) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, null)) {
            JavacTask parser = (JavacTask)
                    compiler.getTask(null, manager, null, null, null, manager.getJavaFileObjectsFromPaths(files));
            Scanner scanner = new Scanner(DocTrees.instance(parser));
            for (CompilationUnitTree file : parser.parse()) {
                scanner.scan(file, null);
            }
            return scanner.missing;
        }
    }

    /** Goes into what is visible to users only, so that all that it visits must be documented. */
    private static final class Scanner extends TreePathScanner<Void, Void> {

        private static final Set<Tree.Kind> ALL_PUBLIC = Set.of(Tree.Kind.INTERFACE, Tree.Kind.ANNOTATION_TYPE);

        final List<String> missing = new ArrayList<>();
        private final DocTrees docs;

        Scanner(DocTrees docs) {
            this.docs = docs;
        }

        @Override
        public Void visitClass(ClassTree type, Void unused) {
            if (!visible(type.getModifiers())) {
                return null;
            }
            check(type.getSimpleName().toString(), typeParameters(type.getTypeParameters()), false);
            if (type.getKind() == Tree.Kind.RECORD) {
                checkParams(type.getSimpleName().toString(), components(type));
            }
            return super.visitClass(type, unused);
        }

        @Override
        public Void visitMethod(MethodTree method, Void unused) {
            if (visible(method.getModifiers()) && !overrides(method) && !isCompactConstructor(method)) {
                Stream<String> params =
                        method.getParameters().stream().map(p -> p.getName().toString());
                List<String> all = Stream.concat(typeParameters(method.getTypeParameters()).stream(), params)
                        .toList();
                check(method.getName().toString(), all, returnsSomething(method));
            }
            return null; // what is inside of a method is nobody's business
        }

        @Override
        public Void visitVariable(VariableTree field, Void unused) {
            if (visible(field.getModifiers())) {
                check(field.getName().toString(), List.of(), false);
            }
            return null;
        }

        private void check(String name, List<String> params, boolean returns) {
            DocCommentTree comment = docs.getDocCommentTree(getCurrentPath());
            if (comment == null) {
                report(name, "no comment");
                return;
            }
            checkParams(name, params);
            if (returns && !documentsReturn(comment)) {
                report(name, "no @return");
            }
        }

        private void checkParams(String name, List<String> params) {
            DocCommentTree comment = docs.getDocCommentTree(getCurrentPath());
            if (comment == null) {
                return;
            }
            List<String> documented = comment.getBlockTags().stream()
                    .filter(ParamTree.class::isInstance)
                    .map(tag -> ((ParamTree) tag).getName().toString())
                    .toList();
            params.stream()
                    .filter(param -> !documented.contains(param))
                    .forEach(param -> report(name, "no @param " + param));
        }

        private static boolean documentsReturn(DocCommentTree comment) {
            Stream<? extends DocTree> all =
                    Stream.concat(comment.getBlockTags().stream(), comment.getFullBody().stream());
            return all.anyMatch(ReturnTree.class::isInstance);
        }

        private boolean visible(ModifiersTree modifiers) {
            TreePath parent = getCurrentPath().getParentPath();
            return modifiers.getFlags().contains(Modifier.PUBLIC)
                    || modifiers.getFlags().contains(Modifier.PROTECTED)
                    || ALL_PUBLIC.contains(parent.getLeaf().getKind());
        }

        private static boolean overrides(MethodTree method) {
            return method.getModifiers().getAnnotations().stream()
                    .anyMatch(annotation ->
                            annotation.getAnnotationType().toString().equals("Override"));
        }

        /** The parser gives it the components of the record for parameters, which stand before it. */
        private boolean isCompactConstructor(MethodTree method) {
            return method.getReturnType() == null
                    && getCurrentPath().getParentPath().getLeaf().getKind() == Tree.Kind.RECORD
                    && method.getParameters().stream().allMatch(parameter -> start(parameter) < start(method));
        }

        private static boolean returnsSomething(MethodTree method) {
            return method.getReturnType() != null
                    && !method.getReturnType().toString().equals("void");
        }

        private static List<String> typeParameters(List<? extends TypeParameterTree> parameters) {
            return parameters.stream().map(p -> p.getName().toString()).toList();
        }

        private static List<String> components(ClassTree type) {
            return type.getMembers().stream()
                    .filter(VariableTree.class::isInstance)
                    .map(VariableTree.class::cast)
                    .filter(field -> !field.getModifiers().getFlags().contains(Modifier.STATIC))
                    .map(field -> field.getName().toString())
                    .toList();
        }

        private void report(String name, String what) {
            CompilationUnitTree file = getCurrentPath().getCompilationUnit();
            long line = file.getLineMap().getLineNumber(start(getCurrentPath().getLeaf()));
            Path path = SourceFilesTest.PROJECT.relativize(
                    Path.of(file.getSourceFile().toUri()));
            missing.add(path + ":" + line + " " + name + ": " + what);
        }

        private long start(Tree tree) {
            return docs.getSourcePositions().getStartPosition(getCurrentPath().getCompilationUnit(), tree);
        }
    }
}

package io.backstep.saga.definition;

import java.util.List;
import java.util.Locale;

/** Draws a definition as a Mermaid flowchart. Names can't hold anything that Mermaid would take for its own. */
final class Diagram {
    private final SagaDefinition<?> definition;
    private final StringBuilder text = new StringBuilder("flowchart TD\n");

    private Diagram(SagaDefinition<?> definition) {
        this.definition = definition;
    }

    static String of(SagaDefinition<?> definition) {
        return new Diagram(definition).drawn();
    }

    private String drawn() {
        line("started([\"%s v%d\"])", definition.name(), definition.version());
        definition.steps().forEach(this::step);
        line("completed([\"%s\"])", "completed");
        definition.steps().forEach(this::edges);
        definition.steps().stream().filter(this::isLast).forEach(step -> line("%s --> completed", id(step)));
        definition.steps().stream().filter(StepDefinition::isUndone).forEach(this::compensation);
        definition.steps().stream().filter(step -> step.confirming() != null).forEach(this::confirm);
        return text.toString();
    }

    private void step(StepDefinition step) {
        String label = step.name() + "<br/>" + (step.waiting() == null ? kind(step) : wait(step.waiting()))
                + (step.transactional() ? ", transactional" : "")
                + (step.child() == null ? "" : "<br/>starts " + step.child().type())
                + (step.condition() == null ? "" : "<br/>only if its condition holds");
        line(shape(step.kind()), id(step), label);
    }

    private void edges(StepDefinition step) {
        List<String> before = definition.directlyBefore(step);
        if (before.isEmpty()) {
            line("started --> %s", id(step));
        }
        before.forEach(name -> line("s%d --> %s", definition.indexOf(name), id(step)));
    }

    private void compensation(StepDefinition step) {
        boolean tcc = step.confirming() != null;
        line("undo_%s[\"%s %s\"]", id(step), tcc ? "cancel" : "undo", step.name());
        line("%s -. %s .-> undo_%s", id(step), tcc ? "cancel" : "compensation", id(step));
    }

    private void confirm(StepDefinition step) {
        line("confirm_%s[\"confirm %s\"]", id(step), step.name());
        line("%s -. confirm .-> confirm_%s", id(step), id(step));
    }

    private boolean isLast(StepDefinition step) {
        return definition.steps().stream().noneMatch(other -> other.waitsFor().contains(step.name()));
    }

    private String id(StepDefinition step) {
        return "s" + definition.indexOf(step.name());
    }

    private void line(String format, Object... parts) {
        text.append("    ").append(String.format(Locale.ROOT, format, parts)).append('\n');
    }

    private static String wait(Waiting waiting) {
        return switch (waiting.what()) {
            case SIGNAL -> "waits for a signal, at most " + waiting.time();
            case DELAY -> "waits for " + waiting.time();
        };
    }

    private static String kind(StepDefinition step) {
        return switch (step.kind()) {
            case COMPENSATABLE ->
                step.confirming() != null ? "try" : step.isUndone() ? "compensatable" : "no compensation";
            case PIVOT -> "pivot";
            case RETRIABLE -> "retriable";
            case BEST_EFFORT -> "best effort";
        };
    }

    private static String shape(StepKind kind) {
        return switch (kind) {
            case COMPENSATABLE -> "%s[\"%s\"]";
            case PIVOT -> "%s{{\"%s\"}}";
            case RETRIABLE -> "%s([\"%s\"])";
            case BEST_EFFORT -> "%s>\"%s\"]";
        };
    }
}

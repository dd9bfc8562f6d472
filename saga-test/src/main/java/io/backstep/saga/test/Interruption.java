package io.backstep.saga.test;

/** What {@link CrashExplorer} does to the node that runs a saga. */
public enum Interruption {
    /** The node dies, and a write of it never arrives; another node takes over. */
    DIES_BEFORE_WRITE("the node dies before"),
    /** The node dies inside the transaction of a step, which is rolled back; another node takes over. */
    DIES_IN_TRANSACTION("the node dies inside the transaction of"),
    /** The node dies, and a write of it is committed all the same; another node takes over. */
    DIES_AFTER_WRITE("the node dies after"),
    /** The node stops for longer than its lease just before a write; another node ends the saga; then the write is refused. */
    STOPS_BEFORE_WRITE("the node stops, and is overtaken, before"),
    /**
     * The node stops for longer than its lease just before it calls a participant; another node ends the saga; then the call arrives.
     * Nothing can prevent that: its participant must know the key, even when it was undone meanwhile.
     */
    STOPS_BEFORE_CALL("the node stops, and is overtaken, before the call of");

    private final String text;

    Interruption(String text) {
        this.text = text;
    }

    /** For the name of a run. */
    String at(int number, String what) {
        return text + " " + what + " (" + (this == STOPS_BEFORE_CALL ? "call " : "write ") + number + ")";
    }
}

package io.backstep.saga.test.exploration;

/**
 * What the action of one step did at its participant. Everything that may be true of a call without an answer is one value, and a
 * check on it must hold for each of these truths; so none is left out, and none needs a branch of its own.
 */
enum Effect {
    /** Certainly nothing, and nothing will come. */
    NONE,
    /** A call without an answer: it took effect, or did not, or arrives later. */
    POSSIBLE,
    /** It is there. */
    APPLIED,
    /** It was undone; the participant refuses whatever arrives later under this key. */
    UNDONE
}

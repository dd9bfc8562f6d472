/**
 * The real engine in virtual time, on a store, nodes, networks and participants that fail. One seed is one run; the same seed is the
 * same run.
 */
@org.jspecify.annotations.NullMarked
package io.backstep.saga.simulation;

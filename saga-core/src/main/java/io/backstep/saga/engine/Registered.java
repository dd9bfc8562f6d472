package io.backstep.saga.engine;

import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.state.SagaMachine;
import io.backstep.saga.store.RegisteredDefinition;

/**
 * A definition that this node runs.
 *
 * @param definition the definition
 * @param machine its machine
 * @param row what the store knows of it
 */
record Registered(SagaDefinition<?> definition, SagaMachine machine, RegisteredDefinition row) {}

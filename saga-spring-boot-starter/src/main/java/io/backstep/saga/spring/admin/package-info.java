/** The REST API for operators: off by default, and never open. Applications may say who is allowed what: {@code SagaAdminAuthorizer}. */
@NullMarked
package io.backstep.saga.spring.admin;

import org.jspecify.annotations.NullMarked;

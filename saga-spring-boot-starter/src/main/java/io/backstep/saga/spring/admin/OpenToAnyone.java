package io.backstep.saga.spring.admin;

import jakarta.servlet.http.HttpServletRequest;

/** Lets everybody do everything, because a property says so. */
final class OpenToAnyone implements SagaAdminAuthorizer {
    private static final Caller ANYBODY = new Caller() {
        @Override
        public String name() {
            return "anybody";
        }

        @Override
        public boolean may(Right right) {
            return true;
        }

        @Override
        public boolean may(Right right, Subject subject) {
            return true;
        }
    };

    @Override
    public Caller caller(HttpServletRequest request) {
        return ANYBODY;
    }
}

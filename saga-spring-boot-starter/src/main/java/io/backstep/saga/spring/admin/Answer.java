package io.backstep.saga.spring.admin;

import java.util.List;

/**
 * What is answered.
 *
 * @param status the status
 * @param headers besides those that every answer has
 * @param body what becomes JSON
 */
record Answer(int status, List<Header> headers, Object body) {
    static Answer ok(Object body, Header... headers) {
        return new Answer(200, List.of(headers), body);
    }

    record Header(String name, String value) {}
}

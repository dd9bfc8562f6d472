package io.backstep.saga.chaos;

import io.backstep.saga.SagaStatus;
import io.backstep.saga.admin.AdminAction;
import io.backstep.saga.admin.AdminRequest;
import io.backstep.saga.admin.SagaAdmin;
import io.backstep.saga.admin.SagaAdminException;
import io.backstep.saga.store.InstanceSummary;
import io.backstep.saga.store.ListQuery;
import java.io.IOException;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.stream.Stream;

/** Operators of all kinds: some mend before they retry, some retry what runs, some click twice, some give up. */
final class Operator implements Habit.Act {
    private static final int PAGE = 50;

    /** What can be asked for by somebody who has not looked. */
    private static final List<AdminAction> BLIND = Stream.of(AdminAction.values())
            .filter(action -> action != AdminAction.RESOLVE)
            .toList();

    private final SagaAdmin admin;
    private final ChaosNode node;
    private final String name;
    private final Random random;
    private final Notes operated;
    private long count;

    Operator(NodeOptions options, ChaosNode node, Random random) throws IOException {
        this.admin = SagaAdmin.of(node.engine());
        this.node = node;
        this.name = options.text("file");
        this.random = random;
        this.operated = Notes.at(options.file("operated"));
    }

    @Override
    public void once() throws Exception {
        SagaStatus status = random.nextInt(4) > 0 ? SagaStatus.FAILED : SagaStatus.RUNNING;
        List<InstanceSummary> page = admin.list(new ListQuery(status, null, null, null, null, null, null, PAGE));
        if (page.isEmpty()) {
            return;
        }
        UUID saga = page.get(random.nextInt(page.size())).sagaId();
        if (random.nextBoolean()) {
            node.far().heal(saga);
        }
        AdminAction action = BLIND.get(random.nextInt(BLIND.size()));
        AdminRequest request = AdminRequest.by(name, "chaos").withKey(name + "-" + ++count);
        act(action, saga, random.nextInt(3) == 0 ? request.forced() : request);
    }

    private void act(AdminAction action, UUID saga, AdminRequest request) throws IOException {
        try {
            admin.act(action, saga, request);
            operated.add(saga + " " + action.code() + " " + request.requestKey());
            if (random.nextInt(3) == 0) {
                admin.act(action, saga, request);
            }
        } catch (SagaAdminException e) {
            return; // its state does not allow it
        }
    }
}

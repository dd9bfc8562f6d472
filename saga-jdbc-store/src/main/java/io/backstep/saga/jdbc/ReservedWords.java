package io.backstep.saga.jdbc;

import java.util.Locale;
import java.util.Set;

/** Words that SQL keeps to itself: a schema of such a name would have to be quoted wherever somebody looks at it. */
final class ReservedWords {
    private static final Set<String> ALL = Set.of("""
            all analyse analyze and any array as asc asymmetric between both by case cast check collate column constraint
            create cross current_date current_role current_schema current_time current_timestamp current_user default delete
            desc distinct do drop else end except exists false fetch for foreign from full grant group having if in inner
            insert intersect into is join key leading left like limit localtime localtimestamp natural not null offset on only
            or order outer primary references returning right select session_user set some symmetric system_user table then
            to trailing true union unique update user using values variadic when where window with
            """.strip().split("\\s+"));

    private ReservedWords() {}

    static boolean contain(String name) {
        return ALL.contains(name.toLowerCase(Locale.ROOT));
    }
}

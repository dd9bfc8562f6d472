package io.backstep.saga.spring;

import java.util.Collection;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.jdbc.metadata.CompositeDataSourcePoolMetadataProvider;
import org.springframework.boot.jdbc.metadata.DataSourcePoolMetadata;
import org.springframework.boot.jdbc.metadata.DataSourcePoolMetadataProvider;

/** How many connections there can be. */
final class PoolSize {
    private final DataSource dataSource;
    private final DataSourcePoolMetadataProvider pools;

    PoolSize(DataSource dataSource, Collection<? extends DataSourcePoolMetadataProvider> pools) {
        this.dataSource = dataSource;
        this.pools = new CompositeDataSourcePoolMetadataProvider(pools);
    }

    /**
     * Whether there is but one.
     *
     * @return false also when nobody knows
     */
    boolean isOne() {
        DataSourcePoolMetadata pool = pools.getDataSourcePoolMetadata(dataSource);
        @Nullable Integer most = pool == null ? null : pool.getMax();
        return most != null && most == 1;
    }
}

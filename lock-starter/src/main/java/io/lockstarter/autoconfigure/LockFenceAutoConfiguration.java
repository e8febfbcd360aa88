// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;

import javax.sql.DataSource;

import io.lockstarter.text.DurationText;
import io.lockstarter.LockOptions;
import io.lockstarter.LockRegistry;
import io.lockstarter.LockSetupException;
import io.lockstarter.fence.LockFence;
import io.lockstarter.interceptor.TransactionFence;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Role;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.config.FixedDelayTask;
import org.springframework.scheduling.config.ScheduledTaskRegistrar;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;

/**
 * {@link AutoConfiguration Auto-configuration} of the database that refuses the late
 * transactions of methods with {@link io.lockstarter.annotation.Fence#TRANSACTION fence =
 * TRANSACTION}.
 *
 * @since 0.1
 */
@AutoConfiguration(after = LockAutoConfiguration.class,
		afterName = { "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
				"org.springframework.boot.autoconfigure.jdbc.DataSourceAutoConfiguration" })
@ConditionalOnClass({ JdbcTemplate.class, TransactionExecutionListener.class })
@ConditionalOnBean(DataSource.class)
@Conditional(LockEnabled.class)
@EnableConfigurationProperties({ FenceProperties.class, LockProperties.class })
public final class LockFenceAutoConfiguration {

	private static final Log logger = LogFactory.getLog(LockFenceAutoConfiguration.class);

	private static final String IN_USE = "lockTransactionFence";

	// They stand in statements as they are.
	private static final Pattern TABLE = Pattern.compile("[\\w$]+(\\.[\\w$]+){0,2}");

	private static final String PURGE = "lock-starter:purge-fence";

	// Needed when the first annotated bean is created, so it asks for nothing before a
	// call or the end of the start.
	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	@ConditionalOnMissingBean
	static LockFence lockFence(FenceProperties properties, LockProperties locks, ListableBeanFactory beans) {
		return new LockFence(() -> dataSource(properties.getDataSource(), beans), table(properties.getTable()),
				locks.getKeyPrefix());
	}

	/**
	 * Made only if an annotation asks for it.
	 */
	@Bean(IN_USE)
	@Lazy
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	@ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
	static TransactionFence lockTransactionFence(LockFence fence) {
		return fence::call;
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static TransactionListeners lockFenceListeners(ObjectProvider<LockFence> fence,
			ConfigurableListableBeanFactory beans) {
		return new TransactionListeners(beans) {

			@Override
			@Nullable TransactionExecutionListener listenerOf(ConfigurableTransactionManager manager) {
				return (manager instanceof AbstractPlatformTransactionManager known) ? fence.getObject().listener(known)
						: null;
			}

		};
	}

	@Bean
	static SmartInitializingSingleton lockFenceCheck(ConfigurableListableBeanFactory beans, LockFence fence,
			FenceProperties properties) {
		return () -> {
			if (beans.containsSingleton(IN_USE)) {
				if (properties.isCreateTable()) {
					fence.createTable();
				}
				else {
					check(fence);
				}
			}
		};
	}

	private static void check(LockFence fence) {
		try {
			fence.checkTable();
		}
		catch (DataAccessResourceFailureException ex) {
			logger.warn("Nobody knows yet whether the database can refuse late transactions, as it cannot be reached: "
					+ ex.getMessage());
		}
	}

	@Bean
	@ConditionalOnProperty("distributed-lock.fence.purge-interval")
	static ScheduledTaskRegistrar lockFencePurge(LockFence fence, FenceProperties properties, LockRegistry registry,
			ObjectProvider<TaskScheduler> scheduler) {
		Duration interval = properties.getPurgeInterval();
		if (interval == null || interval.isZero() || interval.isNegative()) {
			throw new LockSetupException(
					"Property 'distributed-lock.fence.purge-interval' is '%s', but must be positive"
						.formatted((interval != null) ? DurationText.of(interval) : ""),
					"Say how often to look for old rows, such as '1h', or leave it out for never", null);
		}
		Duration pause = properties.getMaxPause();
		if (pause.compareTo(Duration.ofMinutes(1)) < 0) {
			throw new LockSetupException(
					"Property 'distributed-lock.fence.max-pause' is '%s', but must be a minute or longer"
						.formatted(DurationText.of(pause)),
					"Name the longest time for which a process may be stopped, such as '7d'", null);
		}
		ScheduledTaskRegistrar tasks = new ScheduledTaskRegistrar();
		TaskScheduler own = scheduler.getIfUnique();
		if (own != null) {
			tasks.setTaskScheduler(own);
		}
		LockOptions options = LockOptions.defaults().withName("LockFence.purge");
		tasks.addFixedDelayTask(new FixedDelayTask(() -> registry.tryCall(PURGE, options, (scope) -> {
			int rows = fence.purge(pause);
			logger.debug("Deleted " + rows + " rows of old fencing tokens");
			return rows;
		}), interval, interval));
		return tasks;
	}

	private static DataSource dataSource(@Nullable String name, ListableBeanFactory beans) {
		if (name != null) {
			if (!beans.containsBean(name) || !beans.isTypeMatch(name, DataSource.class)) {
				throw new LockSetupException(
						"Property 'distributed-lock.fence.data-source' is '%s', but there is no DataSource bean of that name"
							.formatted(name),
						"Name one of '%s'".formatted(String.join("', '", names(beans))), null);
			}
			return beans.getBean(name, DataSource.class);
		}
		try {
			return beans.getBean(DataSource.class);
		}
		catch (NoUniqueBeanDefinitionException ex) {
			throw new LockSetupException(
					"fence = TRANSACTION needs to know which of the DataSource beans '%s' it is for"
						.formatted(String.join("', '", names(beans))),
					"Name one in 'distributed-lock.fence.data-source', or mark one as @Primary", ex);
		}
	}

	private static List<String> names(ListableBeanFactory beans) {
		return List.of(beans.getBeanNamesForType(DataSource.class, true, false));
	}

	private static String table(String name) {
		if (!TABLE.matcher(name).matches()) {
			throw new LockSetupException(
					"Property 'distributed-lock.fence.table' is '%s', which is no name of a table".formatted(name),
					"Write a name of letters, digits and underscores, such as 'app.lock_fence'", null);
		}
		return name;
	}

}

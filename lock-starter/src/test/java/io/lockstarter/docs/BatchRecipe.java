// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.docs;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

import javax.sql.DataSource;

import io.lockstarter.Lease;
import io.lockstarter.LockOptions;
import io.lockstarter.LockRegistry;
import org.jspecify.annotations.Nullable;
import org.springframework.batch.core.ExitStatus;
import org.springframework.batch.core.configuration.annotation.EnableBatchProcessing;
import org.springframework.batch.core.configuration.annotation.EnableJdbcJobRepository;
import org.springframework.batch.core.job.Job;
import org.springframework.batch.core.job.builder.JobBuilder;
import org.springframework.batch.core.listener.StepExecutionListener;
import org.springframework.batch.core.partition.Partitioner;
import org.springframework.batch.core.repository.JobRepository;
import org.springframework.batch.core.step.Step;
import org.springframework.batch.core.step.StepExecution;
import org.springframework.batch.core.step.builder.StepBuilder;
import org.springframework.batch.infrastructure.item.ExecutionContext;
import org.springframework.batch.infrastructure.repeat.RepeatStatus;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.task.SyncTaskExecutor;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseBuilder;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseType;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;

/**
 * The example with Spring Batch of docs/recipes.md, in a job with three partitions.
 */
@Configuration(proxyBeanMethods = false)
@EnableBatchProcessing
@EnableJdbcJobRepository
class BatchRecipe {

	private static final List<String> PARTITIONS = List.of("a", "b", "c");

	static class PartitionLock implements StepExecutionListener {

		private final Map<Long, Lease> leases = new ConcurrentHashMap<>();

		private final LockRegistry registry;

		PartitionLock(LockRegistry registry) {
			this.registry = registry;
		}

		@Override
		public void beforeStep(StepExecution step) {
			String key = "import:" + step.getExecutionContext().getString("partition");
			Lease lease = this.registry.acquireAsync(key, LockOptions.defaults()).join();
			lease.onLost((lost) -> step.setTerminateOnly());
			this.leases.put(step.getId(), lease);
		}

		@Override
		public @Nullable ExitStatus afterStep(StepExecution step) {
			Lease lease = this.leases.remove(step.getId());
			if (lease != null) {
				lease.close();
			}
			return null;
		}

	}

	/**
	 * What the steps have written: two times the name of each partition, in a transaction
	 * each.
	 */
	static class Written {

		final List<String> all = new CopyOnWriteArrayList<>();

		private volatile Consumer<StepExecution> listener = (step) -> {
		};

		void onWrite(Consumer<StepExecution> listener) {
			this.listener = listener;
		}

		RepeatStatus write(StepExecution step) {
			String partition = step.getExecutionContext().getString("partition");
			this.all.add(partition);
			this.listener.accept(step);
			return RepeatStatus.continueIf(this.all.stream().filter(partition::equals).count() % 2 == 1);
		}

	}

	@Bean
	Written written() {
		return new Written();
	}

	@Bean
	DataSource dataSource() {
		return new EmbeddedDatabaseBuilder().setType(EmbeddedDatabaseType.H2)
			.generateUniqueName(true)
			.addScript("org/springframework/batch/core/schema-h2.sql")
			.build();
	}

	@Bean
	PlatformTransactionManager transactionManager(DataSource dataSource) {
		return new JdbcTransactionManager(dataSource);
	}

	@Bean
	Job job(JobRepository jobs, PlatformTransactionManager transactions, LockRegistry registry, Written written) {
		Step partition = importPartition(jobs, transactions, registry, written);
		return new JobBuilder("import", jobs)
			.start(new StepBuilder("importAll", jobs).partitioner("importPartition", partitioner())
				.step(partition)
				.taskExecutor(new SyncTaskExecutor())
				.build())
			.build();
	}

	private static Step importPartition(JobRepository jobs, PlatformTransactionManager transactions,
			LockRegistry registry, Written written) {
		return new StepBuilder("importPartition", jobs).listener(new PartitionLock(registry))
			.tasklet((contribution, chunk) -> written.write(contribution.getStepExecution()), transactions)
			.build();
	}

	private static Partitioner partitioner() {
		return (gridSize) -> {
			Map<String, ExecutionContext> contexts = new HashMap<>();
			PARTITIONS
				.forEach((partition) -> contexts.put(partition, new ExecutionContext(Map.of("partition", partition))));
			return contexts;
		};
	}

}

// SPDX-License-Identifier: Apache-2.0
package io.lockstarter;

import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.EvaluationResult;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The rule that nothing but the platform is undetermined can be broken.
 */
class UndeterminedTest {

	@Test
	void findsEachLineThatDependsOnAClockOnChanceOrOnAThread() {
		EvaluationResult result = evaluate(Planted.class);
		assertThat(result.getFailureReport().getDetails()).hasSize(17)
			.allMatch((line) -> line.contains("Planted"))
			.noneMatch((line) -> line.contains("harmless"));
	}

	@Test
	void findsNothingWhereNothingIs() {
		assertThat(evaluate(LockOptions.class).hasViolation()).isFalse();
	}

	private static EvaluationResult evaluate(Class<?> type) {
		JavaClasses classes = new ClassFileImporter().importClasses(type);
		return noClasses().should().accessTargetWhere(new Undetermined()).evaluate(classes);
	}

	@SuppressWarnings("all")
	private static final class Planted {

		private final LongSupplier reference = System::nanoTime;

		private final SecureRandom secure = new SecureRandom();

		void time() throws Exception {
			System.currentTimeMillis();
			Instant.now();
			new CompletableFuture<>().orTimeout(1, TimeUnit.SECONDS);
			new CompletableFuture<>().get(1, TimeUnit.SECONDS);
			LockSupport.parkNanos(1);
			Mono.delay(Duration.ZERO);
			wait();
		}

		void chance() {
			ThreadLocalRandom.current();
			Math.random();
			UUID.randomUUID();
		}

		void threads() {
			Thread made = new Thread();
			made.start();
			ForkJoinPool.commonPool();
			new ScheduledThreadPoolExecutor(1);
			CompletableFuture.runAsync(() -> {
			});
		}

		void harmless() {
			CompletableFuture.runAsync(() -> {
			}, Runnable::run);
			TimeUnit.SECONDS.toNanos(1);
			Thread.currentThread();
		}

	}

}

package io.lockstarter.interceptor;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

import io.lockstarter.LockSetupException;
import io.lockstarter.annotation.DistributedLock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.beans.factory.BeanCreationException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * When mistakes are found. None of the choices lets a method run without its lock.
 */
class LockValidationTest {

	private static final String MISTAKE = "@DistributedLock on " + Task.class.getName()
			+ ".run(long): ttl = \"30\" has no unit. Write '30s' for seconds or '30ms' for milliseconds.";

	private final RecordingRegistry registry = new RecordingRegistry();

	private final Logger logger = Logger.getLogger(LockSpecSource.class.getName());

	private final LogRecords records = new LogRecords();

	@BeforeEach
	void listen() {
		this.logger.setUseParentHandlers(false);
		this.logger.addHandler(this.records);
	}

	@AfterEach
	void leave() {
		this.logger.removeHandler(this.records);
		this.logger.setUseParentHandlers(true);
	}

	@Test
	void mistakeFailsTheStart() {
		assertThatExceptionOfType(BeanCreationException.class).isThrownBy(() -> start(LockValidation.FAIL, Task.class))
			.havingCause()
			.isInstanceOf(LockSetupException.class)
			.withMessage(MISTAKE);
	}

	@Test
	void mistakeIsLoggedOnceAndFailsEachCall() {
		try (LockedContext context = start(LockValidation.WARN, Task.class)) {
			assertThat(this.records.warnings).singleElement().asString().startsWith(MISTAKE);
			Task task = context.bean(Task.class);
			failsEachCall(task);
			task.good();
		}
		assertThat(this.registry.keys).containsExactly("good");
		assertThat(this.records.warnings).hasSize(1);
	}

	@Test
	void mistakeIsFoundByTheFirstCall() {
		try (LockedContext context = start(LockValidation.OFF, Task.class)) {
			Task task = context.bean(Task.class);
			failsEachCall(task);
			task.good();
		}
		assertThat(this.records.warnings).isEmpty();
		assertThat(this.registry.keys).containsExactly("good");
	}

	private static void failsEachCall(Task task) {
		Work work = task;
		assertThatExceptionOfType(LockSetupException.class).isThrownBy(() -> work.run(1)).withMessage(MISTAKE);
		assertThatExceptionOfType(LockSetupException.class).isThrownBy(() -> work.run(2)).withMessage(MISTAKE);
		assertThatExceptionOfType(LockSetupException.class).isThrownBy(() -> task.run(1)).withMessage(MISTAKE);
	}

	@ParameterizedTest
	@EnumSource(names = { "WARN", "OFF" })
	void attributesThatContradictEachOtherFailEachCall(LockValidation validation) {
		try (LockedContext context = start(validation, Contradiction.class)) {
			Contradiction bean = context.bean(Contradiction.class);
			assertThatExceptionOfType(LockSetupException.class).isThrownBy(bean::run)
				.withMessageContaining("contradict each other");
		}
		assertThat(this.records.warnings).hasSize((validation == LockValidation.WARN) ? 1 : 0);
	}

	@ParameterizedTest
	@EnumSource(LockValidation.class)
	void whatNoCallCouldReportFailsTheStart(LockValidation validation) {
		assertThatExceptionOfType(BeanCreationException.class)
			.isThrownBy(() -> start(validation, InvalidAnnotationTest.PrivateMethod.class))
			.withMessageContaining("never intercepted");
		assertThatExceptionOfType(BeanCreationException.class)
			.isThrownBy(() -> start(validation, InvalidAnnotationTest.FinalMethod.class))
			.withMessageContaining("never intercepted");
		assertThatExceptionOfType(BeanCreationException.class)
			.isThrownBy(() -> start(validation, InvalidAnnotationTest.FinalClass.class))
			.withMessageContaining("its class is final or sealed");
	}

	private LockedContext start(LockValidation validation, Class<?> bean) {
		return LockedContext.withProperties(this.registry, Map.of("distributed-lock.validation", validation), bean);
	}

	interface Work {

		void run(long id);

	}

	static class Task implements Work {

		@Override
		@DistributedLock(key = "k", ttl = "30")
		public void run(long id) {
			throw new IllegalStateException("It ran without its lock");
		}

		@DistributedLock("good")
		public void good() {
		}

	}

	static class Contradiction {

		@DistributedLock(key = "a", value = "b")
		public void run() {
			throw new IllegalStateException("It ran without its lock");
		}

	}

	static class LogRecords extends Handler {

		final List<String> warnings = new ArrayList<>();

		@Override
		public void publish(LogRecord record) {
			if (record.getLevel().equals(Level.WARNING)) {
				this.warnings.add(record.getMessage());
			}
		}

		@Override
		public void flush() {
		}

		@Override
		public void close() {
		}

	}

}

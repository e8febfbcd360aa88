// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor;

import java.util.List;
import java.util.Map;

import io.lockstarter.LockSetupException;
import io.lockstarter.annotation.DistributedLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.beans.factory.BeanCreationException;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * When mistakes are found. None of the choices lets a method run without its lock.
 */
@ExtendWith(OutputCaptureExtension.class)
class LockValidationTest {

	private static final String MISTAKE = "@DistributedLock on " + Task.class.getName()
			+ ".run(long): ttl = \"30\" has no unit. Write '30s' for seconds or '30ms' for milliseconds.";

	private final RecordingRegistry registry = new RecordingRegistry();

	@Test
	void mistakeFailsTheStart() {
		assertThatExceptionOfType(BeanCreationException.class).isThrownBy(() -> start(LockValidation.FAIL, Task.class))
			.havingCause()
			.isInstanceOf(LockSetupException.class)
			.withMessage(MISTAKE);
	}

	@Test
	void mistakeIsLoggedOnceAndFailsEachCall(CapturedOutput output) {
		try (LockedContext context = start(LockValidation.WARN, Task.class)) {
			assertThat(warnings(output)).singleElement().asString().contains(" WARN ", MISTAKE);
			Task task = context.bean(Task.class);
			failsEachCall(task);
			task.good();
		}
		assertThat(this.registry.keys).containsExactly("good");
		assertThat(warnings(output)).hasSize(1);
	}

	@Test
	void mistakeIsFoundByTheFirstCall(CapturedOutput output) {
		try (LockedContext context = start(LockValidation.OFF, Task.class)) {
			Task task = context.bean(Task.class);
			failsEachCall(task);
			task.good();
		}
		assertThat(warnings(output)).isEmpty();
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
	void attributesThatContradictEachOtherFailEachCall(LockValidation validation, CapturedOutput output) {
		try (LockedContext context = start(validation, Contradiction.class)) {
			Contradiction bean = context.bean(Contradiction.class);
			assertThatExceptionOfType(LockSetupException.class).isThrownBy(bean::run)
				.withMessageContaining("contradict each other");
		}
		assertThat(warnings(output)).hasSize((validation == LockValidation.WARN) ? 1 : 0);
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

	private static List<String> warnings(CapturedOutput output) {
		return output.getOut()
			.lines()
			.filter((line) -> line.contains("Each call of the method fails until then"))
			.toList();
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

}

// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.test;

import java.util.List;

import io.lockstarter.LockRegistry;
import io.lockstarter.LockScope;
import io.lockstarter.annotation.DistributedLock;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.test.context.bean.override.mockito.MockitoBean;
import org.springframework.test.context.junit.jupiter.SpringJUnitConfig;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.mockingDetails;

/**
 * Tests of an application: whether its locks are there.
 */
class UnlockedTestNoticeTest {

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void contextWithAnnotatedBeansButWithoutLocksIsTold(CapturedOutput output) {
		try (ConfigurableApplicationContext context = context(Work.class)) {
			assertThat(context.getBean(Work.class).isLocked()).isFalse();
		}
		assertThat(output).contains("@DistributedLock methods of " + Work.class.getName() + " run WITHOUT a lock")
			.contains("@AutoConfigureDistributedLock");
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void contextWithoutAnnotatedBeansIsNot(CapturedOutput output) {
		context(Object.class).close();
		assertThat(output).doesNotContain("WITHOUT a lock");
	}

	private static ConfigurableApplicationContext context(Class<?> bean) {
		GenericApplicationContext context = new GenericApplicationContext();
		new UnlockedTestNotice().createContextCustomizer(Object.class, List.of()).customizeContext(context, mock());
		context.registerBean(bean);
		context.refresh();
		return context;
	}

	/**
	 * What the notice says to add.
	 */
	@Nested
	@SpringJUnitConfig(Work.class)
	@AutoConfigureDistributedLock
	class WithLocks {

		@Autowired
		private Work work;

		@Test
		void methodIsLocked() {
			assertThat(this.work.isLocked()).isTrue();
		}

	}

	/**
	 * A mock in place of the registry.
	 */
	@Nested
	@SpringBootTest(classes = Work.class, webEnvironment = SpringBootTest.WebEnvironment.NONE)
	@AutoConfigureDistributedLock
	class WithMock {

		@MockitoBean
		private LockRegistry registry;

		@Test
		void contextStarts() {
			assertThat(mockingDetails(this.registry).isMock()).isTrue();
		}

	}

	static class Work {

		@DistributedLock("work")
		public boolean isLocked() {
			return LockScope.find().isPresent();
		}

	}

}

// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.test;

import io.lockstarter.LockScope;
import io.lockstarter.annotation.DistributedLock;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A slice without {@link AutoConfigureDistributedLock}.
 */
@Tag("boot4")
@ExtendWith(OutputCaptureExtension.class)
@WebMvcTest
@Import(UnlockedSliceTest.Work.class)
class UnlockedSliceTest {

	@Autowired
	private Work work;

	@Test
	void methodsRunWithoutALockWhichIsSaid(CapturedOutput output) {
		assertThat(this.work.isLocked()).isFalse();
		assertThat(output).contains("@DistributedLock methods of " + Work.class.getName() + " run WITHOUT a lock")
			.contains("Add @AutoConfigureDistributedLock");
	}

	static class Work {

		@DistributedLock("work")
		public boolean isLocked() {
			return LockScope.find().isPresent();
		}

	}

	@SpringBootConfiguration(proxyBeanMethods = false)
	static class Application {

	}

}

/*
 * Copyright 2026 the original author or authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */
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

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
package io.lockstarter.autoconfigure;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.lockstarter.Lease;
import io.lockstarter.LockListener;
import io.lockstarter.LossCause;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.slf4j.MDC;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

@ExtendWith(OutputCaptureExtension.class)
class LockListenersTest {

	private final Lease lease = mock();

	private final List<@Nullable Map<String, String>> contexts = new ArrayList<>();

	@BeforeEach
	void nameTheLease() {
		given(this.lease.key()).willReturn("stock:42");
		given(this.lease.ownerId()).willReturn("shop@web-1-17-ab:3");
		given(this.lease.fencingToken()).willReturn(7L);
	}

	@Test
	void leaseIsNamedInTheMdcWhileListenersAreCalled() {
		listeners(this::recordContext).lost(this.lease, LossCause.EXPIRED);
		assertThat(this.contexts)
			.containsExactly(Map.of("lock.key", "stock:42", "lock.owner", "shop@web-1-17-ab:3", "lock.token", "7"));
		assertThat(MDC.getCopyOfContextMap()).isNullOrEmpty();
	}

	@Test
	void listenerThatFailsIsLoggedOnceAndKeepsNobodyFromBeingCalled(CapturedOutput output) {
		LockListeners listeners = listeners(() -> {
			throw new IllegalStateException("broken");
		}, this::recordContext);
		for (int i = 0; i < 100; i++) {
			listeners.lost(this.lease, LossCause.EXPIRED);
		}
		assertThat(this.contexts).hasSize(100);
		assertThat(output.toString().lines().filter((line) -> line.contains("A lock listener failed"))).hasSize(1);
	}

	private void recordContext() {
		this.contexts.add(MDC.getCopyOfContextMap());
	}

	private static LockListeners listeners(Runnable... actions) {
		List<LockListener> listeners = new ArrayList<>();
		for (Runnable action : actions) {
			listeners.add(new LockListener() {

				@Override
				public void lost(Lease lease, LossCause cause) {
					action.run();
				}

			});
		}
		return new LockListeners(() -> listeners, () -> LeaseContext.NONE);
	}

}

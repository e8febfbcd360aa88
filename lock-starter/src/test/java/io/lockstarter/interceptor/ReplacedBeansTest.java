// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor;

import io.lockstarter.LockScope;
import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.autoconfigure.LockAutoConfiguration;
import io.lockstarter.autoconfigure.LockInterceptorAutoConfiguration;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.TestPropertySource;
import org.springframework.test.context.bean.override.convention.TestBean;
import org.springframework.test.context.bean.override.mockito.MockitoBean;
import org.springframework.test.context.bean.override.mockito.MockitoSpyBean;
import org.springframework.test.context.junit.jupiter.SpringJUnitConfig;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;

/**
 * A test may replace beans with annotated methods: what stands in for them has no proxy,
 * and needs none.
 */
@SpringJUnitConfig
@TestPropertySource(properties = "distributed-lock.store=memory")
class ReplacedBeansTest {

	@MockitoBean
	private Mocked mocked;

	@MockitoBean
	private MockedAnew mockedAnew;

	@TestBean
	private Stubbed stubbed;

	@MockitoSpyBean
	private Spied spied;

	static Stubbed stubbed() {
		return new Stubbed();
	}

	@Test
	void replacedBeansNeedNoLock() {
		given(this.mocked.run()).willReturn(true);
		given(this.mockedAnew.run()).willReturn(true);
		assertThat(this.mocked.run()).isTrue();
		assertThat(this.mockedAnew.run()).isTrue();
		assertThat(this.stubbed.run()).isFalse();
		assertThat(this.spied.run()).isTrue();
	}

	static class Service {

		@DistributedLock("k")
		public boolean run() {
			return LockScope.find().isPresent();
		}

	}

	static class Mocked extends Service {

	}

	static class MockedAnew extends Service {

	}

	static class Stubbed extends Service {

	}

	static class Spied extends Service {

	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ LockAutoConfiguration.class, LockInterceptorAutoConfiguration.class })
	@Import({ Mocked.class, Stubbed.class, Spied.class })
	static class Application {

	}

}

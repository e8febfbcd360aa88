package io.lockstarter.autoconfigure;

import io.lockstarter.engine.LockStore;
import io.lockstarter.engine.MemoryLockStore;

import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Configuration of locks in the memory of this JVM.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnProperty(name = "distributed-lock.store", havingValue = "memory")
@ConditionalOnMissingBean(LockStore.class)
class MemoryStoreConfiguration {

	@Bean
	MemoryLockStore memoryLockStore() {
		return new MemoryLockStore();
	}

}

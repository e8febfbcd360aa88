// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.benchmark.jmh;

import io.lockstarter.autoconfigure.LockAutoConfiguration;
import io.lockstarter.autoconfigure.LockInterceptorAutoConfiguration;
import org.aopalliance.intercept.MethodInterceptor;

import org.springframework.aop.Advisor;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.NameMatchMethodPointcut;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;

/**
 * A service with locks in memory, and an advice that does nothing to compare with.
 */
@Configuration(proxyBeanMethods = false)
@ImportAutoConfiguration({ LockAutoConfiguration.class, LockInterceptorAutoConfiguration.class })
class ShopConfiguration {

	@Bean
	Shop shop() {
		return new Shop();
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static Advisor plainAdvisor() {
		NameMatchMethodPointcut pointcut = new NameMatchMethodPointcut();
		pointcut.addMethodName("plain");
		MethodInterceptor advice = (invocation) -> invocation.proceed();
		return new DefaultPointcutAdvisor(pointcut, advice);
	}

}

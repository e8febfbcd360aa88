// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.benchmark.service;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.reflect.Method;

import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.ClassFilter;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.support.StaticMethodMatcherPointcutAdvisor;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.context.annotation.Role;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.type.AnnotationMetadata;

/**
 * What an annotation costs that does nothing: below it no library with one can be. In a
 * service without any of them, if {@value #PROPERTY} is true.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnBooleanProperty(Floor.PROPERTY)
@Import(Floor.Proxies.class)
class Floor {

	static final String PROPERTY = "floor";

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static Nothing nothing() {
		return new Nothing();
	}

	@Retention(RetentionPolicy.RUNTIME)
	@interface Marked {

	}

	/**
	 * Written without lambda expressions, each of which is a class.
	 */
	@SuppressWarnings("serial")
	static class Nothing extends StaticMethodMatcherPointcutAdvisor implements ClassFilter, MethodInterceptor {

		Nothing() {
			setClassFilter(this);
			setAdvice(this);
		}

		@Override
		public boolean matches(Class<?> type) {
			return AnnotationUtils.isCandidateClass(type, Marked.class);
		}

		@Override
		public boolean matches(Method method, Class<?> type) {
			return AnnotatedElementUtils.hasAnnotation(method, Marked.class);
		}

		@Override
		public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
			return invocation.proceed();
		}

	}

	static class Proxies implements ImportBeanDefinitionRegistrar {

		@Override
		public void registerBeanDefinitions(AnnotationMetadata metadata, BeanDefinitionRegistry registry) {
			AopConfigUtils.registerAutoProxyCreatorIfNecessary(registry);
			AopConfigUtils.forceAutoProxyCreatorToUseClassProxying(registry);
		}

	}

}

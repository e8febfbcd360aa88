// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.reflect.Method;

import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;

import org.springframework.aop.ClassFilter;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.support.StaticMethodMatcherPointcutAdvisor;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.context.annotation.Role;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.type.AnnotationMetadata;

/**
 * The service of {@link StartUpApplication} without the starter: its annotation does
 * nothing, which no other could do with fewer classes. Has no class of the starter.
 */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import(StartUpFloor.Proxies.class)
class StartUpFloor {

	public static void main(String... args) {
		StartUpApplication.run(StartUpFloor.class, Job.class, args);
	}

	@Bean
	Job job() {
		return new Job();
	}

	@Bean
	StartUpApplication.BeforeTheLastStep beforeTheLastStep(ConfigurableListableBeanFactory beans) {
		return new StartUpApplication.BeforeTheLastStep(beans);
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static Nothing nothing() {
		return new Nothing();
	}

	static class Job {

		@Marked
		public void run(int number) {
		}

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
		public Object invoke(MethodInvocation invocation) throws Throwable {
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

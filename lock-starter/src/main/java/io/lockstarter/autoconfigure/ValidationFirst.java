// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.autoconfigure;

import io.lockstarter.interceptor.DistributedLockAdvisor;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.Advisor;
import org.springframework.aop.framework.Advised;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.validation.beanvalidation.MethodValidationInterceptor;

/**
 * Moves the validation of arguments in front of the lock, in each bean that has both:
 * arguments that are refused need no lock. Without an order of its own, so that it comes
 * after the post-processor which adds the check at the end.
 */
final class ValidationFirst implements BeanPostProcessor {

	@Override
	public @Nullable Object postProcessAfterInitialization(Object bean, String beanName) {
		if (bean instanceof Advised advised && !advised.isFrozen()) {
			Advisor[] advisors = advised.getAdvisors();
			int lock = -1;
			for (int i = 0; i < advisors.length; i++) {
				if (advisors[i] instanceof DistributedLockAdvisor) {
					lock = i;
				}
				else if (lock >= 0 && advisors[i].getAdvice() instanceof MethodValidationInterceptor) {
					advised.removeAdvisor(advisors[i]);
					advised.addAdvisor(lock, advisors[i]);
				}
			}
		}
		return bean;
	}

}

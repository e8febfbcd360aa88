// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor.key;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;

/**
 * Strategy for the keys of each call of a method. Implementations are thread-safe.
 *
 * @since 0.1
 */
@FunctionalInterface
public interface LockKeys {

	/**
	 * Return the keys of a call, one at least, each not blank.
	 * @throws IllegalArgumentException if there is no usable key
	 */
	Collection<String> of(Object target, @Nullable Object[] arguments);

	/**
	 * Parse the keys of an annotation.
	 * @param texts the texts of the keys, one at least, without placeholders
	 * @param source where the annotation is: a method, whose argument names count first,
	 * or a type
	 */
	static LockKeys parse(List<String> texts, AnnotatedMethod subject, @Nullable Object source,
			ConfigurableBeanFactory beans) {
		KeyScope scope = new KeyScope(subject, ArgumentNames.of(subject.method(), source), beans);
		List<KeyExpression> all = new ArrayList<>();
		for (String text : texts) {
			all.add(KeyExpression.parse(text, scope));
		}
		return (all.size() == 1) ? all.get(0) : (target, arguments) -> {
			List<String> keys = new ArrayList<>();
			all.forEach((some) -> keys.addAll(some.of(target, arguments)));
			return keys;
		};
	}

	static LockKeys generatedBy(String bean, AnnotatedMethod subject, BeanFactory beans) {
		return GeneratedKeys.by(bean, subject, beans);
	}

}

// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor.key;

import java.util.Arrays;
import java.util.Collection;
import java.util.List;

import io.lockstarter.annotation.LockKeyGenerator;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactory;

/**
 * {@link LockKeys} that a bean of the application generates.
 */
record GeneratedKeys(String name, AnnotatedMethod subject, BeanFactory beans) implements LockKeys {

	static GeneratedKeys by(String name, AnnotatedMethod subject, BeanFactory beans) {
		if (!beans.containsBean(name)) {
			throw subject.invalid("keyGenerator = \"%s\" is not the name of a bean".formatted(name),
					"Define a LockKeyGenerator bean with that name");
		}
		Class<?> type = beans.getType(name, false);
		if (type != null && !LockKeyGenerator.class.isAssignableFrom(type)) {
			throw subject.invalid("keyGenerator = \"%s\" is a bean of type %s".formatted(name, type.getTypeName()),
					"Name a bean whose type is LockKeyGenerator");
		}
		return new GeneratedKeys(name, subject, beans);
	}

	@Override
	public Collection<String> of(Object target, @Nullable Object[] arguments) {
		// Whatever a generator does to the array, the method gets what it was called
		// with.
		Object result = this.beans.getBean(this.name, LockKeyGenerator.class)
			.generate(target, this.subject.method(), Arrays.copyOf(arguments, arguments.length));
		List<String> keys = KeyText.of(result, "its result", this::refusal).texts();
		if (keys.stream().anyMatch(String::isBlank)) {
			throw refusal("its result is blank", null);
		}
		return keys;
	}

	private IllegalArgumentException refusal(String problem, @Nullable Throwable cause) {
		return new IllegalArgumentException(
				"What keyGenerator \"%s\" made for @DistributedLock on %s cannot be locked: %s".formatted(this.name,
						this.subject, problem),
				cause);
	}

}

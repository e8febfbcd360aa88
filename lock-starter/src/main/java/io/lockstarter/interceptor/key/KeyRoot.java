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
package io.lockstarter.interceptor.key;

import java.lang.reflect.Method;
import java.util.Arrays;

import org.jspecify.annotations.Nullable;

/**
 * Root object of the expressions of a key: the call, as {@code #root}.
 *
 * @since 0.1
 */
public final class KeyRoot {

	private final AnnotatedMethod subject;

	private final Object target;

	private final @Nullable Object[] arguments;

	KeyRoot(AnnotatedMethod subject, Object target, @Nullable Object[] arguments) {
		this.subject = subject;
		this.target = target;
		this.arguments = arguments;
	}

	/**
	 * Return the method of the class, however it was called: a key that contains it is
	 * the same through an interface.
	 * @return the method
	 */
	public Method getMethod() {
		return this.subject.method();
	}

	public String getMethodName() {
		return this.subject.method().getName();
	}

	public Object getTarget() {
		return this.target;
	}

	public Class<?> getTargetClass() {
		return this.subject.targetClass();
	}

	public @Nullable Object[] getArgs() {
		return Arrays.copyOf(this.arguments, this.arguments.length);
	}

}

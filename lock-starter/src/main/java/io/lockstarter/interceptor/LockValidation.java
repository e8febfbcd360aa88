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
package io.lockstarter.interceptor;

/**
 * Options for the validation of annotations. With each of them, a method with a mistake
 * never runs without its lock; and a mistake that no call could report, such as an
 * annotation on a private or final method, fails the start-up.
 *
 * @since 0.1
 */
public enum LockValidation {

	/**
	 * A mistake fails the creation of its bean, for most at start-up.
	 */
	FAIL,

	/**
	 * A mistake is logged when its bean is created, and fails each call of the method.
	 */
	WARN,

	/**
	 * An annotation is read by the first call of its method; a mistake fails each call.
	 */
	OFF

}

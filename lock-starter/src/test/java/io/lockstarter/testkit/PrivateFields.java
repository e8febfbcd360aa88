// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.testkit;

import java.lang.reflect.Field;

import org.springframework.util.ReflectionUtils;

/**
 * Private fields, for what only a test looks at.
 */
public final class PrivateFields {

	private PrivateFields() {
	}

	public static Field field(Class<?> type, String name) {
		Field field = ReflectionUtils.findField(type, name);
		if (field == null) {
			throw new IllegalStateException(type + " has no field " + name);
		}
		ReflectionUtils.makeAccessible(field);
		return field;
	}

	@SuppressWarnings("NullAway") // what may be null is compared with that
	public static Object read(Field field, Object object) {
		return ReflectionUtils.getField(field, object);
	}

}

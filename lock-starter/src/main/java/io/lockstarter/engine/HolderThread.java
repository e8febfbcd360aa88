// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.util.Arrays;

import io.lockstarter.text.PrintableText;
import org.jspecify.annotations.Nullable;

/**
 * Describes the thread of a holder so that it can be found in a thread dump. Virtual
 * threads often have no name, but each thread has an id.
 */
final class HolderThread {

	private HolderThread() {
	}

	static String name(Thread thread) {
		return PrintableText.of((thread.getName() + " (#" + thread.getId() + ")").trim());
	}

	static String describe(@Nullable Thread thread) {
		if (thread == null) {
			return "acquired asynchronously, without a thread";
		}
		return "on thread '" + name(thread) + "'" + (thread.isAlive() ? "" : ", which has ended");
	}

	static String describeWaiter(@Nullable Thread thread) {
		return (thread != null) ? "on thread '" + name(thread) + "'" : "asynchronously";
	}

	/**
	 * Return whether a thread waits in {@link System#exit} for the end of the JVM.
	 */
	static boolean exits(Thread thread) {
		return Arrays.stream(thread.getStackTrace())
			.anyMatch((frame) -> frame.getClassName().equals("java.lang.Runtime")
					&& frame.getMethodName().equals("exit"));
	}

	/**
	 * Return what a thread does, as in a thread dump; nothing if it has ended.
	 */
	static String stack(@Nullable Thread thread) {
		StringBuilder text = new StringBuilder();
		if (thread != null) {
			for (StackTraceElement element : thread.getStackTrace()) {
				text.append(System.lineSeparator()).append("\tat ").append(element);
			}
		}
		return text.toString();
	}

}

// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.benchmark.worker;

import java.lang.management.ManagementFactory;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import javax.management.JMException;
import javax.management.ObjectName;

/**
 * What is alive in the heap of this JVM, after a full garbage collection.
 *
 * @param bytes all of it
 * @param ourObjects objects of lock-starter, these measurements apart
 * @param lettuceObjects objects of Lettuce
 * @param queues local queues of lock-starter, of which each key in use has one
 */
record LiveHeap(long bytes, long ourObjects, long lettuceObjects, long queues) {

	private static final Pattern LINE = Pattern.compile("(?m)^\\s*\\d+:\\s+(\\d+)\\s+\\d+\\s+(\\S+)");

	private static final Pattern TOTAL = Pattern.compile("(?m)^Total\\s+\\d+\\s+(\\d+)");

	/**
	 * Stop everybody, collect the garbage and look.
	 */
	static LiveHeap look() {
		try {
			Object histogram = ManagementFactory.getPlatformMBeanServer()
				.invoke(new ObjectName("com.sun.management:type=DiagnosticCommand"), "gcClassHistogram",
						new Object[] { new String[0] }, new String[] { String[].class.getName() });
			return parse(histogram.toString());
		}
		catch (JMException ex) {
			throw new IllegalStateException("This JVM has no class histogram", ex);
		}
	}

	static LiveHeap parse(String histogram) {
		long ours = 0;
		long lettuce = 0;
		long queues = 0;
		for (Matcher line = LINE.matcher(histogram); line.find();) {
			long instances = Long.parseLong(line.group(1));
			String type = line.group(2);
			if (type.startsWith("io.lockstarter.") && !type.startsWith("io.lockstarter.benchmark.")) {
				ours += instances;
			}
			if (type.startsWith("io.lettuce.")) {
				lettuce += instances;
			}
			if (type.equals("io.lockstarter.engine.LocalQueue")) {
				queues += instances;
			}
		}
		Matcher total = TOTAL.matcher(histogram);
		if (!total.find()) {
			throw new IllegalStateException("Not a class histogram: " + histogram);
		}
		return new LiveHeap(Long.parseLong(total.group(1)), ours, lettuce, queues);
	}

	void report(Result result, String when) {
		result.put(when + Result.BYTES, this.bytes);
		result.put(when + Result.OUR_OBJECTS, this.ourObjects);
		result.put(when + Result.LETTUCE_OBJECTS, this.lettuceObjects);
		result.put(when + Result.QUEUES, this.queues);
	}

}

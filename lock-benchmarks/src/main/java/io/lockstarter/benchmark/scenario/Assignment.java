// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.benchmark.scenario;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.lockstarter.benchmark.contender.Contender;
import io.lockstarter.benchmark.contender.Target;

/**
 * The part of one JVM in a measurement; its command line.
 *
 * @param scenario what to measure
 * @param contender with what lock
 * @param threads by which kind of threads
 * @param target which Redis
 * @param jvm which of the JVMs this is, from zero
 * @param times how often to do what is counted
 * @param directory where the shared memory is and the results go
 */
public record Assignment(Scenario scenario, Contender contender, ThreadKind threads, Target target, int jvm, int times,
		Path directory) {

	private static final String SEPARATOR = ",";

	/**
	 * Read the arguments of {@link #toArguments()}.
	 * @param arguments the arguments
	 * @return the assignment
	 */
	public static Assignment parse(List<String> arguments) {
		Scenario scenario = Scenario.of(arguments.get(0));
		Contender contender = Contender.of(arguments.get(1));
		return new Assignment(scenario, contender, ThreadKind.valueOf(arguments.get(2)),
				new Target(scenario.topology(contender), ports(arguments.get(3)), Duration.parse(arguments.get(4))),
				Integer.parseInt(arguments.get(5)), Integer.parseInt(arguments.get(6)), Path.of(arguments.get(7)));
	}

	/**
	 * Return the assignment as arguments of a command line.
	 * @return the arguments
	 */
	public List<String> toArguments() {
		String ports = this.target.ports().stream().map(String::valueOf).collect(Collectors.joining(SEPARATOR));
		return List.of(this.scenario.id(), this.contender.id(), this.threads.name(), ports,
				this.target.ttl().toString(), String.valueOf(this.jvm), String.valueOf(this.times),
				this.directory.toString());
	}

	/**
	 * Return the file that all JVMs of the measurement map into their memory.
	 * @return the file
	 */
	public Path sharedFile() {
		return this.directory.resolve("shared");
	}

	/**
	 * Return the file for the result of this JVM.
	 * @return the file
	 */
	public Path resultFile() {
		return this.directory.resolve("result-" + this.jvm);
	}

	/**
	 * Return the file for what this JVM logs.
	 * @return the file
	 */
	public Path logFile() {
		return this.directory.resolve("log-" + this.jvm);
	}

	private static List<Integer> ports(String text) {
		return Stream.of(text.split(SEPARATOR, -1)).map(Integer::valueOf).toList();
	}

}

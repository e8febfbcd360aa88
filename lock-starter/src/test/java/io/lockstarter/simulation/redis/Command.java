// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation.redis;

import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * A command that the server knows. Immutable.
 *
 * @param name its name, in lower case
 * @param arity with how many arguments, itself included; negative if with so many at
 * least
 * @param traits of {@code w} (writes), {@code m} (is denied without memory), {@code s}
 * (not in scripts) and {@code p} (also while the client is subscribed, in version 2 of
 * the protocol)
 * @param keys which of its arguments are keys
 * @param body what it does
 */
record Command(String name, int arity, String traits, Keys keys, Body body) {

	static @Nullable Command of(String name) {
		Command command = Table.BY_NAME.get(name);
		return (command != null) ? command : Table.BY_NAME.get(name.toLowerCase(Locale.ROOT));
	}

	boolean writes() {
		return this.traits.indexOf('w') >= 0;
	}

	boolean needsMemory() {
		return this.traits.indexOf('m') >= 0;
	}

	boolean isForbiddenInScripts() {
		return this.traits.indexOf('s') >= 0;
	}

	boolean isForSubscribers() {
		return this.traits.indexOf('p') >= 0;
	}

	boolean fits(int count) {
		return (this.arity >= 0) ? count == this.arity : count >= -this.arity;
	}

	List<String> keysOf(List<String> all) {
		return switch (this.keys) {
			case NONE -> List.of();
			case FIRST, CHANNEL -> all.subList(1, 2);
			case ALL, CHANNELS -> all.subList(1, all.size());
			case SCRIPT -> scriptKeys(all);
		};
	}

	private static List<String> scriptKeys(List<String> all) {
		try {
			long count = Numbers.integer(all.get(2));
			return (count >= 0 && count <= all.size() - 3) ? all.subList(3, 3 + (int) count) : List.of();
		}
		catch (Refusal ex) {
			return List.of();
		}
	}

	enum Keys {

		NONE, FIRST, ALL, SCRIPT, CHANNEL, CHANNELS;

		boolean areChannels() {
			return this == CHANNEL || this == CHANNELS;
		}

	}

	interface Body {

		Reply run(Call call);

	}

	/**
	 * One execution of a command.
	 *
	 * @param client who sent it, or the script that calls it
	 * @param arguments its name and what follows
	 */
	record Call(SmallRedis server, SmallClient client, List<String> arguments) {

		int count() {
			return this.arguments.size();
		}

		String at(int index) {
			return this.arguments.get(index);
		}

		String lower(int index) {
			return this.arguments.get(index).toLowerCase(Locale.ROOT);
		}

		List<String> from(int index) {
			return this.arguments.subList(index, this.arguments.size());
		}

		Keyspace keys() {
			return this.server.keyspace();
		}

		/**
		 * Complain about an option that Redis knows, and this server does not.
		 */
		UnsupportedOperationException unsupported() {
			return new UnsupportedOperationException("No such command here: " + String.join(" ", this.arguments));
		}

	}

	private static final class Table {

		private static final Map<String, Command> BY_NAME = new HashMap<>();

		static {
			DataCommands.all().forEach((command) -> BY_NAME.put(command.name(), command));
			ServerCommands.all().forEach((command) -> BY_NAME.put(command.name(), command));
		}

	}

}

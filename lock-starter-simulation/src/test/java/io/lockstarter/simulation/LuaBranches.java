// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Supplier;

import io.lockstarter.mutation.LuaEdit;
import io.lockstarter.mutation.LuaSource;
import io.lockstarter.simulation.redis.Reply;
import io.lockstarter.simulation.redis.SmallClient;
import io.lockstarter.simulation.redis.SmallRedis;

/**
 * Finds out which branches of scripts are entered: functions, what follows from a
 * condition and what from its opposite, loops, and what comes after {@code and} and
 * {@code or}. What scripts note, in the table of Redis, all servers of a thread share.
 */
final class LuaBranches implements Supplier<Set<String>> {

	private static final String ENTERED = """
			local names = {}
			for name, value in pairs(redis) do
				if value == true then
					names[#names + 1] = name
				end
			end
			return names
			""";

	private static final Map<String, String> KINDS = Map.of("function", "called", "then", "then", "else", "else", "if",
			"without then", "do", "loop", "and", "and", "or", "or");

	LuaBranches() {
	}

	/**
	 * Let a script note which branches it enters, without another line.
	 * @param script its name
	 * @param text its text, of which lines stay what they are
	 * @param names what to add the names of all branches to
	 * @return its text
	 */
	static String noting(String script, String text, Set<String> names) {
		LuaSource source = new LuaSource(text);
		List<LuaEdit> edits = new ArrayList<>();
		for (int at = 0; at < source.size(); at++) {
			String kind = KINDS.get(source.text(at));
			if (kind == null || (source.is(at, "if") && hasElse(source, at))) {
				continue;
			}
			String name = unique("%s %s:%d %s".formatted(script, source.functionOf(at), source.lineOf(at), kind),
					names);
			names.add(name);
			String note = "rawset(redis, '%s', true)".formatted(name);
			switch (source.text(at)) {
				case "function" -> add(edits, source.bodyOf(at), note + "; ");
				case "and" -> add(edits, at + 1, note + " and ");
				case "or" -> add(edits, at + 1, "not " + note + " or ");
				case "if" -> add(edits, source.endOf(at), "else " + note + " ");
				default -> add(edits, at + 1, note + "; ");
			}
		}
		edits.sort(Comparator.comparing(LuaEdit::from));
		return source.with(edits.toArray(LuaEdit[]::new));
	}

	private static void add(List<LuaEdit> edits, int before, String text) {
		edits.add(new LuaEdit(before, before, text));
	}

	private static String unique(String name, Set<String> names) {
		int number = 1;
		String unique = name;
		while (names.contains(unique)) {
			number++;
			unique = name + " " + number;
		}
		return unique;
	}

	private static boolean hasElse(LuaSource source, int from) {
		int at = from + 1;
		while (at < source.endOf(from)) {
			if (source.is(at, "else")) {
				return true;
			}
			at = source.is(at, "if", "do", "function", "repeat") ? source.endOf(at) + 1 : at + 1;
		}
		return false;
	}

	/**
	 * Return the branches that were entered in this thread.
	 */
	@Override
	public Set<String> get() {
		Set<String> entered = new LinkedHashSet<>();
		SmallRedis any = new SmallRedis("any", 1, () -> 0, new Random(1));
		try (SmallClient client = any.connect((push) -> {
		})) {
			if (client.execute("EVAL", ENTERED, "0") instanceof Reply.Array names) {
				names.elements().forEach((name) -> entered.add(((Reply.Bulk) name).text()));
			}
		}
		return entered;
	}

}

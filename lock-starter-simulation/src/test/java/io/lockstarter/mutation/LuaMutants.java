// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.mutation;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * All mutants of the scripts that give and take locks. The one that looks at them does
 * neither, and the simulation has no locks of other libraries.
 */
final class LuaMutants {

	static final String FOLDER = "META-INF/lock-starter/";

	private static final Map<String, String> SCRIPTS = Map.of("lock", Room.ALL, "commands", Room.ALL, "quorum",
			Room.VOTING);

	private LuaMutants() {
	}

	static List<GeneratedMutant> all() {
		return SCRIPTS.keySet().stream().sorted().flatMap((script) -> of(script).stream()).toList();
	}

	static List<GeneratedMutant> of(String script) {
		return of(script, read(script));
	}

	static List<GeneratedMutant> of(String script, String text) {
		LuaSource source = new LuaSource(text);
		Map<String, Integer> numbers = new HashMap<>();
		List<GeneratedMutant> mutants = new ArrayList<>();
		for (LuaOperator operator : LuaOperator.values()) {
			for (int at = 0; at < source.size(); at++) {
				LuaEdit edit = operator.at(source, at);
				if (edit != null) {
					String place = script + ".lua " + source.functionOf(at) + " " + operator;
					String id = place + " " + numbers.merge(place, 1, Integer::sum);
					mutants.add(new GeneratedMutant(id, source.describe(edit), SCRIPTS.getOrDefault(script, Room.ALL),
							FOLDER + script + ".lua", () -> source.with(edit).getBytes(StandardCharsets.UTF_8)));
				}
			}
		}
		return mutants;
	}

	private static String read(String script) {
		Path path = Modules.source("resources/" + FOLDER + script + ".lua");
		try {
			return Files.readString(path);
		}
		catch (IOException ex) {
			throw new java.io.UncheckedIOException(ex);
		}
	}

}

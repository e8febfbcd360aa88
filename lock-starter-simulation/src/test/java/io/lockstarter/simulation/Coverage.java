// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.lockstarter.mutation.Modules;
import org.jacoco.core.analysis.Analyzer;
import org.jacoco.core.analysis.CoverageBuilder;
import org.jacoco.core.analysis.IClassCoverage;
import org.jacoco.core.analysis.ICounter;
import org.jacoco.core.analysis.ILine;
import org.jacoco.core.analysis.IMethodCoverage;
import org.jacoco.core.data.ExecutionDataStore;
import org.jacoco.core.data.SessionInfoStore;
import org.jacoco.core.instr.Instrumenter;
import org.jacoco.core.runtime.LoggerRuntime;
import org.jacoco.core.runtime.RuntimeData;

/**
 * Lists which branches of the engine, the stores and the scripts no run enters. Classes
 * and scripts are changed so that they note which they enter, and do the same otherwise.
 */
final class Coverage {

	private static final List<String> PACKAGES = List.of("engine", "redis", "redis/connection", "quorum");

	private static final List<String> SCRIPTS = List.of("lock", "commands", "quorum");

	private static final String OURS = "io/lockstarter/";

	private static final String FOLDER = "META-INF/lock-starter/";

	private final Path changed = Files.createTempDirectory("lock-starter-coverage");

	private final LoggerRuntime runtime = new LoggerRuntime();

	private final RuntimeData data = new RuntimeData();

	private final Set<String> branches = new LinkedHashSet<>();

	Coverage() throws IOException {
		Instrumenter instrumenter = new Instrumenter(this.runtime);
		for (Path file : files()) {
			String name = OURS + file.toString().replaceFirst(".*/" + OURS, "");
			write(name, instrumenter.instrument(Files.readAllBytes(file), file.toString()));
		}
		for (String script : SCRIPTS) {
			String name = FOLDER + script + ".lua";
			String text = Files.readString(Modules.compiled(name));
			write(name, LuaBranches.noting(script + ".lua", text, this.branches).getBytes(StandardCharsets.UTF_8));
		}
	}

	private List<Path> files() throws IOException {
		List<Path> found = new ArrayList<>();
		for (String name : PACKAGES) {
			try (Stream<Path> files = Files.list(Modules.compiled(OURS + name))) {
				files.filter((file) -> file.toString().endsWith(".class")).sorted().forEach(found::add);
			}
		}
		return found;
	}

	private void write(String name, byte[] content) throws IOException {
		Path file = this.changed.resolve(name);
		Files.createDirectories(file.getParent());
		Files.write(file, content);
	}

	/**
	 * Run seeds and print what they do not enter.
	 * @param options {@code --seconds} for how long (60), {@code --seed} the first one
	 * (1)
	 */
	static void run(List<String> options) throws IOException {
		long seconds = 60;
		long seed = 1;
		for (int i = 0; i < options.size(); i += 2) {
			switch (options.get(i)) {
				case "--seconds" -> seconds = Long.parseLong(options.get(i + 1));
				case "--seed" -> seed = Long.parseLong(options.get(i + 1));
				default -> throw new IllegalArgumentException("No such option with --coverage: " + options.get(i));
			}
		}
		long end = System.nanoTime() + seconds * World.SECOND;
		new Coverage().report(seed, () -> System.nanoTime() < end).forEach(System.out::println);
	}

	/**
	 * Run seeds, in turn over all topologies.
	 * @param more whether to run another one
	 * @return what they do not enter, and at the end how much that is
	 */
	@SuppressWarnings("unchecked")
	List<String> report(long first, BooleanSupplier more) throws IOException {
		List<String> lines = new ArrayList<>();
		begin();
		long seed = first;
		Set<String> entered;
		try (PlantedClasses planted = new PlantedClasses(this.changed, List.of(Topology.values()), Focus.DRAWN)) {
			while (more.getAsBoolean()) {
				String wrong = planted.run(seed);
				if (wrong != null) {
					lines.add("seed " + seed + ": " + wrong);
				}
				seed++;
			}
			entered = ((Supplier<Set<String>>) planted.make(LuaBranches.class)).get();
		}
		finally {
			this.runtime.shutdown();
		}
		List<String> rows = new ArrayList<>(List.of("", "Seeds %d to %d:".formatted(first, seed - 1), "",
				"| room | branches that were entered | methods |", "|---|--:|--:|"));
		Map<String, List<IClassCoverage>> packages = analyzed();
		for (String name : PACKAGES) {
			lines.addAll(List.of("", name.replace('/', '.')));
			rows.add(row(name.replace('/', '.'), packages.getOrDefault(OURS + name, List.of()), lines));
		}
		List<String> missed = this.branches.stream().filter((branch) -> !entered.contains(branch)).toList();
		lines.addAll(List.of("", "scripts"));
		missed.forEach((branch) -> lines.add("  " + branch));
		rows.add("| scripts | %d of %d | |".formatted(this.branches.size() - missed.size(), this.branches.size()));
		lines.addAll(rows);
		return lines;
	}

	private void begin() {
		try {
			this.runtime.startup(this.data);
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	private Map<String, List<IClassCoverage>> analyzed() throws IOException {
		ExecutionDataStore executed = new ExecutionDataStore();
		this.data.collect(executed, new SessionInfoStore(), false);
		CoverageBuilder builder = new CoverageBuilder();
		Analyzer analyzer = new Analyzer(executed, builder);
		for (Path file : files()) {
			analyzer.analyzeClass(Files.readAllBytes(file), file.toString());
		}
		return builder.getClasses()
			.stream()
			.sorted(Comparator.comparing(IClassCoverage::getName))
			.collect(Collectors.groupingBy(IClassCoverage::getPackageName));
	}

	private static String row(String name, List<IClassCoverage> classes, List<String> lines) {
		long entered = 0;
		long all = 0;
		long called = 0;
		long methods = 0;
		for (IClassCoverage type : classes) {
			for (IMethodCoverage method : type.getMethods()) {
				// A method is a branch as well.
				entered += method.getBranchCounter().getCoveredCount() + method.getMethodCounter().getCoveredCount();
				all += method.getBranchCounter().getTotalCount() + 1;
				called += method.getMethodCounter().getCoveredCount();
				methods++;
				String place = type.getName().substring(OURS.length()).replace('/', '.') + "." + method.getName();
				missed(method).forEach((missed) -> lines.add("  " + place + ":" + missed));
			}
		}
		return "| %s | %d of %d | %d of %d |".formatted(name, entered, all, called, methods);
	}

	private static List<String> missed(IMethodCoverage method) {
		if (method.getMethodCounter().getCoveredCount() == 0) {
			return List.of(method.getFirstLine() + " never called");
		}
		List<String> missed = new ArrayList<>();
		boolean inside = false;
		for (int number = method.getFirstLine(); number <= method.getLastLine(); number++) {
			ILine line = method.getLine(number);
			ICounter branches = line.getBranchCounter();
			boolean reached = line.getInstructionCounter().getCoveredCount() > 0;
			if (reached && branches.getMissedCount() > 0) {
				missed.add(
						"%d %d of %d branches".formatted(number, branches.getCoveredCount(), branches.getTotalCount()));
			}
			else if (line.getInstructionCounter().getTotalCount() > 0 && !reached && !inside) {
				missed.add(number + " never reached");
			}
			if (line.getInstructionCounter().getTotalCount() > 0) {
				inside = !reached;
			}
		}
		return missed;
	}

}

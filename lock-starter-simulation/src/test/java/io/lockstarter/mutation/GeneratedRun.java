// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.mutation;

import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.springframework.util.FileSystemUtils;

/**
 * Looks which generated mutants the simulation finds: it draws some of each room, and
 * runs the simulation on each, in a JVM of its own that finds the mutant before the
 * original on its class path. To be started by {@code mutations.sh --generated}.
 */
final class GeneratedRun {

	/**
	 * What starting and compiling costs.
	 */
	private static final Duration START = Duration.ofSeconds(30);

	/**
	 * How much longer than with a processor of its own something may take.
	 */
	private static final int OTHERS = 20;

	private static final String FOUND = "planted bug 'mutant' found by ";

	private static final String NO_JVM = "Error occurred during initialization of VM";

	// by a signal
	private static final int KILLED = 128 + 9;

	private static final int TERMINATED = 128 + 15;

	private static final String CAUGHT = "caught";

	private static final String SURVIVED = "SURVIVED";

	private final PrintStream out;

	private final List<Room> rooms = new ArrayList<>();

	private int sample = 40;

	private long seed = 1;

	private Duration patience = Duration.ofSeconds(60);

	private int jobs = 1;

	private boolean listing;

	private String only = "";

	private GeneratedRun(List<String> options, PrintStream out) {
		this.out = out;
		for (int i = 0; i < options.size(); i++) {
			switch (options.get(i)) {
				case "--rooms" -> {
					for (String room : options.get(++i).split(",", -1)) {
						this.rooms.add(Room.of(room));
					}
				}
				case "--sample" -> this.sample = Integer.parseInt(options.get(++i));
				case "--sample-seed" -> this.seed = Long.parseLong(options.get(++i));
				case "--seconds" -> this.patience = Duration.ofSeconds(Long.parseLong(options.get(++i)));
				case "--only" -> this.only = options.get(++i);
				case "--jobs" -> this.jobs = Integer.parseInt(options.get(++i));
				case "--list" -> this.listing = true;
				default -> throw new IllegalArgumentException("No such option: " + options.get(i));
			}
		}
		if (this.rooms.isEmpty()) {
			this.rooms.addAll(List.of(Room.values()));
		}
	}

	/**
	 * Run as told.
	 * @param options {@code --rooms} with commas between them (all), {@code --only} what
	 * the ids have in them (anything), {@code --sample} how many of each room (40),
	 * {@code --sample-seed} by which they are drawn (1), {@code --seconds} of a processor
	 * for each (60), {@code --jobs} how many at a time (1), {@code --list} to try none
	 */
	static void run(List<String> options, PrintStream out) throws IOException, InterruptedException {
		new GeneratedRun(options, out).run();
	}

	private void run() throws IOException, InterruptedException {
		Equivalents equivalents = Equivalents.read();
		this.out.printf("%d of each room by sample seed %d, %d s of a processor each%n", this.sample, this.seed,
				this.patience.toSeconds());
		List<String> survivors = new ArrayList<>();
		List<String> rows = new ArrayList<>();
		for (Room room : this.rooms) {
			List<GeneratedMutant> all = room.mutants();
			List<GeneratedMutant> drawn = GeneratedMutant.draw(all.stream()
				.filter((mutant) -> !equivalents.contain(mutant) && mutant.id().contains(this.only))
				.toList(), this.sample, this.seed);
			if (drawn.isEmpty()) {
				continue;
			}
			this.out.printf("%n%s: %d of %d mutants%n", room, drawn.size(), all.size());
			if (this.listing) {
				drawn.forEach((mutant) -> this.out.println("  " + mutant));
				continue;
			}
			int before = survivors.size();
			soundOrFail(drawn);
			tryOut(drawn, survivors);
			int caught = drawn.size() - (survivors.size() - before);
			rows.add(String.format(Locale.ROOT, "| %s | %d | %d | %d | %.0f %% |", room, all.size(), drawn.size(),
					caught, 100.0 * caught / Math.max(1, drawn.size())));
		}
		if (!this.listing) {
			this.out.printf("%nSurvivors:%n");
			survivors.forEach((survivor) -> this.out.println("  " + survivor));
			this.out.printf("%n| room | mutants | tried | caught | score |%n|---|--:|--:|--:|--:|%n");
			rows.forEach(this.out::println);
		}
	}

	private void tryOut(List<GeneratedMutant> mutants, List<String> survivors) throws InterruptedException {
		ExecutorService jobs = Executors.newFixedThreadPool(this.jobs);
		try {
			List<Future<String>> verdicts = mutants.stream()
				.map((mutant) -> jobs.submit(() -> tryOut(mutant, this.patience)))
				.toList();
			for (int i = 0; i < mutants.size(); i++) {
				String verdict = verdicts.get(i).get();
				this.out.printf("  %s  %s%n", verdict, mutants.get(i));
				if (!verdict.startsWith(CAUGHT)) {
					survivors.add(mutants.get(i).toString());
				}
			}
		}
		catch (ExecutionException ex) {
			throw new IllegalStateException(ex);
		}
		finally {
			jobs.shutdownNow();
		}
	}

	/**
	 * What is found without a mutant would be taken for caught with every one: so each
	 * choice of topologies is tried for as long as a mutant.
	 */
	private void soundOrFail(List<GeneratedMutant> drawn) throws IOException, InterruptedException {
		for (String options : drawn.stream().map(GeneratedMutant::options).distinct().toList()) {
			GeneratedMutant none = new GeneratedMutant("nothing", "", options, "nothing", () -> new byte[0]);
			String verdict = tryOut(none, this.patience);
			if (!verdict.startsWith(SURVIVED)) {
				throw new IllegalStateException("Without any mutant, with " + options + ": " + verdict);
			}
		}
	}

	/**
	 * Run the simulation on a mutant until it breaks a rule, or ends otherwise.
	 * @param patience for how long, by the time of a processor
	 * @return a verdict, which begins with {@link #CAUGHT} or {@link #SURVIVED}
	 */
	static String tryOut(GeneratedMutant mutant, Duration patience) throws IOException, InterruptedException {
		Path classes = Files.createTempDirectory("lock-starter-mutant");
		try {
			mutant.plant(classes);
			Path output = Files.createTempFile(classes, "output", ".txt");
			Process process = new ProcessBuilder(command(classes.toString(), mutant.options(), patience))
				.redirectErrorStream(true)
				.redirectOutput(output.toFile())
				.start();
			try {
				return endsInTime(process, patience.plus(START))
						? verdict(process.exitValue(), Files.readAllLines(output)) : CAUGHT + ", as it does not end";
			}
			finally {
				process.destroyForcibly().waitFor();
			}
		}
		finally {
			FileSystemUtils.deleteRecursively(classes);
		}
	}

	/**
	 * Return how to run the simulation.
	 * @param first where to find classes first
	 */
	static List<String> command(String first, String options, Duration patience) {
		return Stream.concat(Stream.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx1g",
				"-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto", "-XX:+ExitOnOutOfMemoryError",
				"-Dslf4j.provider=org.slf4j.helpers.NOP_FallbackServiceProvider", "-Dslf4j.internal.verbosity=ERROR",
				"-cp", first + File.pathSeparator + System.getProperty("java.class.path"),
				"io.lockstarter.simulation.Simulation", "--planted", "mutant", "--processor-seconds",
				Long.toString(patience.toSeconds())), Stream.of(options.split(" ", -1)))
			.toList();
	}

	/**
	 * Return whether a process ends. One that computes without end is known by the
	 * processor's time, and one that stands still by that of the world.
	 */
	static boolean endsInTime(Process process, Duration time) throws InterruptedException {
		long start = System.nanoTime();
		while (!process.waitFor(100, TimeUnit.MILLISECONDS)) {
			Duration busy = process.info().totalCpuDuration().orElse(Duration.ZERO);
			boolean computes = busy.compareTo(time.multipliedBy(2)) > 0;
			if (computes || System.nanoTime() - start > time.multipliedBy(OTHERS).toNanos()) {
				return false;
			}
		}
		return true;
	}

	static String verdict(int status, List<String> output) {
		String found = output.stream().filter((line) -> line.startsWith(FOUND)).findFirst().orElse(null);
		if (found != null) {
			return CAUGHT + " by " + found.substring(FOUND.length());
		}
		if (status == KILLED || status == TERMINATED || output.stream().anyMatch((line) -> line.contains(NO_JVM))) {
			throw new IllegalStateException("Not the mutant's doing: exit status " + status + ", " + output);
		}
		if (status != 0) {
			return "%s: exit status %d, %s".formatted(CAUGHT, status, output.isEmpty() ? "" : output.get(0));
		}
		String seeds = output.get(output.size() - 1).replaceFirst(".*seeds=(\\d+).*", "$1");
		return "%s %s seeds".formatted(SURVIVED, seeds);
	}

}

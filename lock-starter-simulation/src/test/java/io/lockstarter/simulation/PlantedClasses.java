// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation;

import java.io.File;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongFunction;
import java.util.stream.Collectors;

import io.lockstarter.mutation.Planting;
import org.jspecify.annotations.Nullable;
import org.springframework.util.FileSystemUtils;

/**
 * All our classes and scripts loaded anew, with a bug among them. Libraries are shared,
 * and so is what the JVM compiled of them.
 */
final class PlantedClasses implements AutoCloseable {

	private final Path directory;

	private final Loader loader;

	private final LongFunction<@Nullable String> search;

	PlantedClasses(Plant plant) throws IOException {
		this(planted(plant), plant.topologies(), plant.focus());
	}

	/**
	 * Load classes and scripts.
	 * @param directory where those are that differ, which is deleted in the end
	 */
	PlantedClasses(Path directory, List<Topology> topologies, Focus focus) throws IOException {
		this.directory = directory;
		this.loader = new Loader(directory);
		this.search = search(topologies.stream().map(Enum::name).collect(Collectors.joining(" ")), focus.name());
	}

	private static Path planted(Plant plant) throws IOException {
		Path directory = Files.createTempDirectory("lock-starter-plant");
		Planting.plant(plant.name(), directory);
		return directory;
	}

	@SuppressWarnings("unchecked")
	private LongFunction<@Nullable String> search(String topologies, String focus) {
		return (LongFunction<@Nullable String>) make(Search.class, topologies, focus);
	}

	/**
	 * Make an object of one of our classes as it is here.
	 */
	Object make(Class<?> type, String... arguments) {
		try {
			Class<?>[] types = new Class<?>[arguments.length];
			Arrays.fill(types, String.class);
			Constructor<?> constructor = this.loader.loadClass(type.getName()).getDeclaredConstructor(types);
			constructor.setAccessible(true);
			return constructor.newInstance((Object[]) arguments);
		}
		catch (ReflectiveOperationException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Run a seed.
	 * @return the topology and the rule that was broken; {@code null} if none was
	 */
	@Nullable String run(long seed) {
		return this.search.apply(seed);
	}

	@Override
	public void close() throws IOException {
		this.loader.close();
		FileSystemUtils.deleteRecursively(this.directory);
	}

	private static final class Loader extends URLClassLoader {

		private static final String OURS = "io.lockstarter.";

		private static final String SCRIPTS = "META-INF/lock-starter/";

		Loader(Path directory) throws MalformedURLException {
			super(urls(directory), Loader.class.getClassLoader());
		}

		private static URL[] urls(Path directory) throws MalformedURLException {
			List<URL> urls = new ArrayList<>();
			urls.add(directory.toUri().toURL());
			for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
				urls.add(Path.of(entry).toUri().toURL());
			}
			return urls.toArray(URL[]::new);
		}

		@Override
		protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
			if (!name.startsWith(OURS)) {
				return super.loadClass(name, resolve);
			}
			synchronized (getClassLoadingLock(name)) {
				Class<?> loaded = findLoadedClass(name);
				return (loaded != null) ? loaded : findClass(name);
			}
		}

		@Override
		public @Nullable URL getResource(String name) {
			return name.startsWith(SCRIPTS) ? findResource(name) : super.getResource(name);
		}

	}

}

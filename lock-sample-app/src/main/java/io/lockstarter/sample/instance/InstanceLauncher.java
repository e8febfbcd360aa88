// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.sample.instance;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

import io.lockstarter.sample.SampleApplication;
import jakarta.annotation.PreDestroy;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.context.ApplicationEventPublisher;
import org.springframework.core.env.Environment;
import org.springframework.stereotype.Service;
import org.springframework.util.ClassUtils;

/**
 * Starts more instances of this shop, as processes of their own on the Redis and the
 * database of this one. They end with it.
 */
@Service
public class InstanceLauncher {

	private static final Log logger = LogFactory.getLog(InstanceLauncher.class);

	private static final int MOST = 4;

	private static final List<String> INHERITED = List.of("spring.profiles.active", "spring.data.redis.url",
			"spring.datasource.url", "sale.ttl", "sale.report-cron");

	private final Queue<Process> processes = new ConcurrentLinkedQueue<>();

	private final Environment environment;

	private final ApplicationEventPublisher events;

	InstanceLauncher(Environment environment, ApplicationEventPublisher events) {
		this.environment = environment;
		this.events = events;
	}

	/**
	 * Start another instance, on a free port. It shows itself when it is ready, and an
	 * {@link InstanceEnded} follows when it ends, which may be before.
	 * @return its process id
	 * @throws IOException if the process cannot be started
	 * @throws IllegalStateException if there are enough
	 */
	public synchronized long launch() throws IOException {
		this.processes.removeIf((process) -> !process.isAlive());
		if (this.processes.size() == MOST) {
			throw new IllegalStateException("%d more instances are enough for one machine".formatted(MOST));
		}
		Path log = Files.createTempFile("flash-sale-instance-%d-".formatted(ProcessHandle.current().pid()), ".log");
		Process process = new ProcessBuilder(command()).redirectErrorStream(true).redirectOutput(log.toFile()).start();
		this.processes.add(process);
		log.toFile().deleteOnExit();
		logger.info("Another instance starts as process %d, its log is %s".formatted(process.pid(), log));
		announceEnd(process, log);
		return process.pid();
	}

	@SuppressWarnings("FutureReturnValueIgnored")
	private void announceEnd(Process process, Path log) {
		process.onExit()
			.thenAccept((ended) -> this.events.publishEvent(new InstanceEnded(ended.pid(), log.toString())));
	}

	private List<String> command() {
		List<String> command = new ArrayList<>();
		command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
		command.addAll(List.of("-Xmx256m", "-XX:TieredStopAtLevel=1"));
		String classPath = System.getProperty("java.class.path");
		if (ClassUtils.isPresent("org.springframework.boot.loader.launch.JarLauncher", null)) {
			command.addAll(List.of("-jar", classPath));
		}
		else {
			command.addAll(List.of("-cp", classPath, SampleApplication.class.getName()));
		}
		command.add("--server.port=0");
		command.add("--sale.parent=" + ProcessHandle.current().pid());
		for (String name : INHERITED) {
			String value = this.environment.getProperty(name);
			if (value != null) {
				command.add("--%s=%s".formatted(name, value));
			}
		}
		return command;
	}

	@PreDestroy
	void endAll() throws InterruptedException {
		this.processes.forEach(Process::destroy);
		for (Process process : this.processes) {
			if (!process.waitFor(10, TimeUnit.SECONDS)) {
				process.destroyForcibly();
			}
		}
	}

}

// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.testkit;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.StaticCredentialsProvider;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * A Redis server for tests, at an address that stays the same over restarts. What is done
 * to its process ({@link #kill()}, {@link #pause()} …) is for private servers, see
 * {@link RedisServers#start(String...)}. Thread-safe but for those.
 */
public final class RedisServer implements AutoCloseable {

	private final String host;

	private final int port;

	private final @Nullable String password;

	private final @Nullable RedisProcess process;

	private @Nullable RedisClient client;

	private @Nullable StatefulRedisConnection<String, String> connection;

	private RedisServer(String host, int port, @Nullable String password, @Nullable RedisProcess process) {
		this.host = host;
		this.port = port;
		this.password = password;
		this.process = process;
	}

	static RedisServer ofProcess(Path binary, int port, List<String> config, Map<String, String> environment) {
		int option = config.indexOf("--requirepass");
		return new RedisServer("127.0.0.1", port, (option < 0) ? null : config.get(option + 1),
				new RedisProcess(binary, port, false, config, environment));
	}

	static RedisServer ofSentinel(Path binary, int port, List<String> config) {
		return new RedisServer("127.0.0.1", port, null, new RedisProcess(binary, port, true, config, Map.of()));
	}

	static RedisServer ofRemote(String host, int port) {
		return new RedisServer(host, port, null, null);
	}

	public String host() {
		return this.host;
	}

	public int port() {
		return this.port;
	}

	/**
	 * Return the commands of {@link #connection()}, one by one.
	 * @return the commands
	 */
	public RedisCommands<String, String> commands() {
		return connection().sync();
	}

	/**
	 * Return the names of keys. Lettuce's own method has another signature in version 6.
	 * @param pattern which
	 * @return the names
	 */
	public List<String> keys(String pattern) {
		return commands().eval("return redis.call('KEYS', ARGV[1])", ScriptOutputType.MULTI, new String[0], pattern);
	}

	/**
	 * Return a connection to look behind the scenes with, the same each time. It is
	 * closed with the server.
	 * @return the connection
	 */
	public synchronized StatefulRedisConnection<String, String> connection() {
		if (this.connection == null) {
			RedisURI uri = RedisURI.create(this.host, this.port);
			uri.setTimeout(Duration.ofSeconds(20));
			if (this.password != null) {
				uri.setCredentialsProvider(new StaticCredentialsProvider(null, this.password.toCharArray()));
			}
			this.client = RedisClient.create(RedisServers.clientResources(), uri);
			this.connection = this.client.connect();
		}
		return this.connection;
	}

	/**
	 * Return a connection factory as an application would have it. The caller destroys
	 * it.
	 * @return a started factory
	 */
	public LettuceConnectionFactory connectionFactory() {
		return connectionFactory((configuration) -> {
		}, (clientConfiguration) -> {
		});
	}

	/**
	 * Return a connection factory with settings of the test's. The caller destroys it.
	 * @param configuration changes whom and where to log in
	 * @param clientConfiguration changes how to connect
	 * @return a started factory
	 */
	public LettuceConnectionFactory connectionFactory(Consumer<RedisStandaloneConfiguration> configuration,
			Consumer<LettuceClientConfiguration.LettuceClientConfigurationBuilder> clientConfiguration) {
		RedisStandaloneConfiguration standalone = new RedisStandaloneConfiguration(this.host, this.port);
		if (this.password != null) {
			standalone.setPassword(this.password);
		}
		configuration.accept(standalone);
		var builder = LettuceClientConfiguration.builder().clientResources(RedisServers.clientResources());
		clientConfiguration.accept(builder);
		LettuceConnectionFactory factory = new LettuceConnectionFactory(standalone, builder.build());
		factory.afterPropertiesSet();
		factory.start();
		return factory;
	}

	/**
	 * Return the id of the server's process.
	 * @return the process id
	 */
	public long pid() {
		return process().pid();
	}

	/**
	 * Start the process again after {@link #kill()} or {@link #stop()}, with the same
	 * port and directory; returns when it answers.
	 */
	public void start() {
		process().start();
	}

	/**
	 * End the process in an orderly manner (SIGTERM).
	 */
	public void stop() {
		process().terminate();
	}

	/**
	 * End the process at once (SIGKILL).
	 */
	public void kill() {
		process().kill();
	}

	/**
	 * Kill and start.
	 */
	public void restart() {
		kill();
		start();
	}

	/**
	 * Kill and start, without anything that was persisted.
	 */
	public void restartEmpty() {
		kill();
		process().forget();
		start();
	}

	/**
	 * Freeze the process (SIGSTOP): connections stay open, nothing is answered.
	 */
	public void pause() {
		ProcessSignal.STOP.send(process().pid());
	}

	/**
	 * Let a frozen process go on (SIGCONT).
	 */
	public void resume() {
		ProcessSignal.CONT.send(process().pid());
	}

	@Override
	public synchronized void close() {
		if (this.client != null) {
			this.client.shutdown(Duration.ZERO, Duration.ofSeconds(1));
			this.client = null;
			this.connection = null;
		}
		if (this.process != null) {
			this.process.destroy();
		}
	}

	private RedisProcess process() {
		if (this.process == null) {
			throw new UnsupportedOperationException("This Redis is not a process of ours");
		}
		return this.process;
	}

}

// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.sample.instance;

import java.util.Objects;

import org.springframework.core.env.Environment;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.GeneratedKeyHolder;
import org.springframework.jdbc.support.KeyHolder;
import org.springframework.stereotype.Component;

/**
 * This instance of the shop.
 */
@Component
public class Instance {

	private final String name;

	private final boolean host;

	private final Environment environment;

	// Numbered by the database: a Redis that comes back empty would give the same again.
	Instance(JdbcClient jdbc, InstanceProperties properties, Environment environment) {
		KeyHolder number = new GeneratedKeyHolder();
		jdbc.sql("INSERT INTO instance DEFAULT VALUES").update(number, "id");
		this.name = String.valueOf((char) ('A' + (Objects.requireNonNull(number.getKeyAs(Long.class)) - 1) % 26));
		this.host = properties.host();
		this.environment = environment;
	}

	/**
	 * Return the name, by which buyers and the page tell instances apart.
	 * @return a letter: {@code A} for the first instance
	 */
	public String name() {
		return this.name;
	}

	/**
	 * Return whether the Redis or the database of the sale end with this instance.
	 * @return whether the other instances depend on this one
	 */
	public boolean isHost() {
		return this.host;
	}

	/**
	 * Return where this instance listens.
	 * @return the port; zero before the web server is started
	 */
	public int port() {
		return this.environment.getProperty("local.server.port", Integer.class, 0);
	}

}

// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.quorum.autoconfigure;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.TypeReference;
import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * Configuration properties of several independent servers that keep locks together.
 */
// Has setters, as a record binds slower.
@ConfigurationProperties("distributed-lock.quorum")
final class QuorumProperties {

	/**
	 * Independent servers that keep locks together, at least three. A majority of them
	 * decides.
	 */
	private List<Node> nodes = List.of();

	/**
	 * Longest ttl of locks in a quorum. A server grants nothing for a little longer than
	 * that after it was started.
	 */
	private Duration maxTtl = Duration.ofMinutes(1);

	public List<Node> getNodes() {
		return this.nodes;
	}

	public void setNodes(List<Node> nodes) {
		this.nodes = nodes;
	}

	public Duration getMaxTtl() {
		return this.maxTtl;
	}

	public void setMaxTtl(Duration maxTtl) {
		this.maxTtl = maxTtl;
	}

	/**
	 * One of the servers.
	 *
	 * @param url Address of the server, such as redis://user:password@example.com:6379/0.
	 * @param sslBundle Name of the SSL bundle for the address.
	 * @param timeout How long the server may take to answer before it is left out. Half
	 * of the command timeout by default.
	 */
	record Node(@Nullable String url, @Nullable String sslBundle, @Nullable Duration timeout) {

		/**
		 * Let an address alone stand for a node. Spring's conversion finds this by its
		 * name.
		 */
		public static Node valueOf(String url) {
			return new Node(url, null, null);
		}

		// Without the password in the address.
		@Override
		public String toString() {
			return "Node[url=%s, sslBundle=%s, timeout=%s]".formatted((this.url != null) ? "******" : null,
					this.sslBundle, this.timeout);
		}

	}

	/**
	 * Lets a native image convert an address to a node.
	 */
	static final class NodeHints implements RuntimeHintsRegistrar {

		@Override
		public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
			hints.reflection()
				.registerType(Node.class, (type) -> type.withMethod("valueOf", List.of(TypeReference.of(String.class)),
						ExecutableMode.INVOKE));
		}

	}

}

/*
 * Copyright 2026 the original author or authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.lockstarter.autoconfigure;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.core.convert.converter.Converter;

/**
 * Configuration properties of several independent servers that keep locks together.
 *
 * @param nodes Independent servers that keep locks together, at least three. A majority
 * of them decides.
 * @param maxTtl Longest ttl of locks in a quorum. A server grants nothing for a little
 * longer than that after it was started.
 */
@ConfigurationProperties("distributed-lock.quorum")
record QuorumProperties(@DefaultValue List<Node> nodes, @DefaultValue("1m") Duration maxTtl) {

	/**
	 * One of the servers.
	 *
	 * @param url Address of the server, such as redis://user:password@example.com:6379/0.
	 * @param sslBundle Name of the SSL bundle for the address.
	 * @param timeout How long the server may take to answer before it is left out. Half
	 * of the command timeout by default.
	 */
	record Node(@Nullable String url, @Nullable String sslBundle, @Nullable Duration timeout) {

		// Without the password in the address.
		@Override
		public String toString() {
			return "Node[url=%s, sslBundle=%s, timeout=%s]".formatted((this.url != null) ? "******" : null,
					this.sslBundle, this.timeout);
		}

	}

	/**
	 * Lets an address alone stand for a node.
	 */
	static final class NodeConverter implements Converter<String, Node> {

		@Override
		public Node convert(String url) {
			return new Node(url, null, null);
		}

	}

}

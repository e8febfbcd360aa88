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
package io.lockstarter.sample.stage;

import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.stereotype.Component;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Answers requests for the names of this machine only. Another site may let its own name
 * point to 127.0.0.1 (DNS rebinding): to a browser, this application would be a part of
 * that site then, whose scripts could read the keys of locks and release them by force.
 */
@Component
@Order(Ordered.HIGHEST_PRECEDENCE)
class HostFilter extends OncePerRequestFilter {

	private final Set<String> allowed = new HashSet<>(Set.of("localhost", "127.0.0.1", "[::1]"));

	HostFilter(@Value("${sale.allowed-hosts:}") List<String> more) {
		more.forEach((host) -> this.allowed.add(host.trim().toLowerCase(Locale.ROOT)));
	}

	@Override
	protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
			throws ServletException, IOException {
		if (this.allowed.contains(host(request))) {
			chain.doFilter(request, response);
		}
		else {
			response.setStatus(HttpServletResponse.SC_MISDIRECTED_REQUEST);
			response.setContentType("text/plain;charset=UTF-8");
			response.getWriter().println("This host is not one of sale.allowed-hosts.");
		}
	}

	private static String host(HttpServletRequest request) {
		String name = request.getServerName().toLowerCase(Locale.ROOT);
		return (name.contains(":") && !name.startsWith("[")) ? "[" + name + "]" : name;
	}

}

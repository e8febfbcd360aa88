// SPDX-License-Identifier: Apache-2.0
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

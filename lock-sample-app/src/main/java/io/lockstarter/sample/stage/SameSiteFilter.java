// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.sample.stage;

import java.io.IOException;
import java.util.Set;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.stereotype.Component;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Refuses what another site makes a browser send here: the pages can halt processes and
 * release locks by force. Browsers say with {@code Sec-Fetch-Site} where a request comes
 * from if they trust the address, and with {@code Origin} if it changes something.
 */
@Component
class SameSiteFilter extends OncePerRequestFilter {

	private static final Set<String> OURS = Set.of("same-origin", "none");

	private static final Set<HttpMethod> HARMLESS = Set.of(HttpMethod.GET, HttpMethod.HEAD, HttpMethod.OPTIONS);

	@Override
	protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
			throws ServletException, IOException {
		boolean harmless = HARMLESS.contains(HttpMethod.valueOf(request.getMethod()));
		if (!harmless && !(isSameSite(request) && isSameOrigin(request))) {
			response.sendError(HttpServletResponse.SC_FORBIDDEN);
		}
		else {
			chain.doFilter(request, response);
		}
	}

	private static boolean isSameSite(HttpServletRequest request) {
		String site = request.getHeader("Sec-Fetch-Site");
		return site == null || OURS.contains(site);
	}

	private static boolean isSameOrigin(HttpServletRequest request) {
		String origin = request.getHeader(HttpHeaders.ORIGIN);
		return origin == null
				|| origin.replaceFirst("^https?://", "").equalsIgnoreCase(request.getHeader(HttpHeaders.HOST));
	}

}

package io.lockstarter.sample.stage;

import java.io.IOException;
import java.util.Set;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.springframework.http.HttpMethod;
import org.springframework.stereotype.Component;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Refuses what another site makes a browser send here: the page can halt processes.
 */
@Component
class SameSiteFilter extends OncePerRequestFilter {

	private static final Set<String> OURS = Set.of("same-origin", "none");

	@Override
	protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
			throws ServletException, IOException {
		String site = request.getHeader("Sec-Fetch-Site");
		if (HttpMethod.POST.matches(request.getMethod()) && site != null && !OURS.contains(site)) {
			response.sendError(HttpServletResponse.SC_FORBIDDEN);
		}
		else {
			chain.doFilter(request, response);
		}
	}

}

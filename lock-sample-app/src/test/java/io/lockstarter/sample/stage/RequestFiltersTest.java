// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.sample.stage;

import java.io.IOException;
import java.util.List;

import jakarta.servlet.Filter;
import jakarta.servlet.ServletException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.mock.web.MockFilterChain;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link HostFilter} and {@link SameSiteFilter}.
 */
class RequestFiltersTest {

	@ParameterizedTest
	@CsvSource({ "localhost:8080, 200", "LOCALHOST:8080, 200", "127.0.0.1:8080, 200", "[::1]:8080, 200", "[::1], 200",
			"shop.example:8080, 200", "evil.example:8080, 421", "localhost.evil.example, 421", "127.0.0.1.nip.io, 421",
			"127.0.0.2, 421", "[::2], 421", "'', 421" })
	void onlyTheNamesOfThisMachineAndThoseThatWereAddedAreAnswered(String host, int status) throws Exception {
		Filter filter = new HostFilter(List.of(" Shop.example "));
		for (String method : List.of("GET", "POST", "DELETE")) {
			assertThat(status(filter, method, host, null)).as(method).isEqualTo(status);
		}
	}

	@ParameterizedTest
	@CsvSource({ "http://localhost:8080, 200", "https://LOCALHOST:8080, 200", ", 200", "http://localhost:9999, 403",
			"http://localhost, 403", "http://evil.example, 403", "null, 403",
			"http://localhost:8080.evil.example, 403" })
	void whatChangesSomethingComesFromAPageOfTheSameOrigin(@Nullable String origin, int status) throws Exception {
		Filter filter = new SameSiteFilter();
		assertThat(status(filter, "DELETE", "localhost:8080", origin)).isEqualTo(status);
		assertThat(status(filter, "POST", "localhost:8080", origin)).isEqualTo(status);
	}

	@Test
	void theEndpointMayBeReadByPagesOfOtherInstances() throws Exception {
		assertThat(status(new SameSiteFilter(), "GET", "localhost:8080", "http://localhost:9999")).isEqualTo(200);
	}

	private static int status(Filter filter, String method, String host, @Nullable String origin)
			throws ServletException, IOException {
		MockHttpServletRequest request = new MockHttpServletRequest(method, "/actuator/locks");
		request.setServerName(host.replaceFirst(":\\d+$", ""));
		request.addHeader("Host", host);
		if (origin != null) {
			request.addHeader("Origin", origin);
		}
		MockHttpServletResponse response = new MockHttpServletResponse();
		filter.doFilter(request, response, new MockFilterChain());
		return response.getStatus();
	}

}

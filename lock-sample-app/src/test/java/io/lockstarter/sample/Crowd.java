package io.lockstarter.sample;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Customers of one or more instances of the shop, by HTTP.
 */
final class Crowd {

	static final long PRODUCT = 10100101;

	private static final int AT_ONCE = 32;

	private final HttpClient client = HttpClient.newHttpClient();

	private final List<Integer> ports;

	Crowd(Integer... ports) {
		this.ports = List.of(ports);
	}

	/**
	 * Let each of the buyers buy once, in turn from each instance.
	 * @return how many were answered with which status
	 */
	Map<Integer, Long> buy(int buyers, String action) {
		ExecutorService executor = Executors.newFixedThreadPool(AT_ONCE);
		try {
			List<CompletableFuture<Integer>> answers = IntStream.range(0, buyers)
				.mapToObj((i) -> CompletableFuture
					.supplyAsync(() -> post(this.ports.get(i % this.ports.size()), action).statusCode(), executor))
				.toList();
			return answers.stream()
				.map(CompletableFuture::join)
				.collect(Collectors.groupingBy(Function.identity(), Collectors.counting()));
		}
		finally {
			executor.shutdownNow();
		}
	}

	HttpResponse<String> reset() {
		return post(this.ports.get(0), "reset");
	}

	HttpResponse<String> sale(int port) {
		return send(request(port, "").GET().build());
	}

	private HttpResponse<String> post(int port, String action) {
		return send(request(port, "/" + action).POST(HttpRequest.BodyPublishers.noBody()).build());
	}

	private static HttpRequest.Builder request(int port, String path) {
		return HttpRequest.newBuilder(URI.create("http://127.0.0.1:%d/products/%d%s".formatted(port, PRODUCT, path)))
			.timeout(Duration.ofSeconds(30));
	}

	private HttpResponse<String> send(HttpRequest request) {
		return this.client.sendAsync(request, BodyHandlers.ofString()).join();
	}

}

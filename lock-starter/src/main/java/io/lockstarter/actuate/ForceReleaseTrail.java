// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.actuate;

import java.security.Principal;
import java.util.LinkedHashMap;
import java.util.Map;

import io.lockstarter.text.PrintableText;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.audit.AuditEvent;
import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.context.ApplicationEventPublisher;

/**
 * Says who asked for locks to be released by force, and what came of it: in the log, and
 * as audit events, which reach an {@code AuditEventRepository} if there is one.
 */
record ForceReleaseTrail(ApplicationEventPublisher audit) {

	/**
	 * The type of the audit events.
	 */
	static final String TYPE = "LOCK_FORCE_RELEASE";

	private static final Log logger = LogFactory.getLog(ForceReleaseTrail.class);

	void add(SecurityContext securityContext, String key, @Nullable String owner,
			WebEndpointResponse<OperationResponseBody> response) {
		Principal principal = securityContext.getPrincipal();
		String requester = (principal != null) ? PrintableText.of(String.valueOf(principal.getName())) : "anonymous";
		Map<String, @Nullable Object> data = new LinkedHashMap<>();
		data.put("key", PrintableText.of(key));
		if (owner != null) {
			data.put("owner", PrintableText.of(owner));
		}
		data.put("status", response.getStatus());
		if (response.getBody() instanceof LockDescriptors.ProblemDescriptor problem) {
			data.put("message", problem.message());
		}
		logger.warn("A release of lock '%s' by force was asked for by '%s', and answered with %d"
			.formatted(data.get("key"), requester, response.getStatus()));
		publish(new AuditApplicationEvent(new AuditEvent(requester, TYPE, data)));
	}

	/**
	 * Publish an event. The lock is released, or is not, whatever listeners make of that.
	 */
	private void publish(AuditApplicationEvent event) {
		try {
			this.audit.publishEvent(event);
		}
		catch (RuntimeException ex) {
			logger.warn("A listener failed to keep the audit event of a release by force", ex);
		}
	}

}

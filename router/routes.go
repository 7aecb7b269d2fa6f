package router

// routes lists every endpoint: one line per route, which names the callers that may use it.
//
// To add an endpoint, write its handler in the file of its resource, add its line here, and describe it in a file under api/. Then run go generate,
// which merges api/ into openapi.yaml. Tests compare routes, openapi.yaml and every answer with each other. A handler reads the {names} of its
// pattern with call.param; ownMerchant and adminOrOwn compare {merchant_id} with the key's merchant. Patterns may overlap: the pattern with the
// earlier fixed segment wins.
func (s *Server) routes() []route {
	list := []route{
		{method: "GET", pattern: indexPath, who: open, handle: s.showIndex},
		{method: "HEAD", pattern: indexPath, who: open, handle: s.showIndex},
		{method: "GET", pattern: healthPath, who: open, handle: s.health},
		{method: "GET", pattern: livePath, who: open, handle: s.live},
		{method: "GET", pattern: openAPIPath, who: open, handle: s.openAPI},
		{method: "GET", pattern: featureMatrixPath, who: open, handle: s.featureMatrix},

		{method: "POST", pattern: "/payments", who: secretField, handle: s.createPayment},
		{method: "GET", pattern: "/payments/list", who: secretField, handle: s.listPayments},
		{method: "POST", pattern: "/payments/session_tokens", who: publishable, handle: s.sessionTokens},
		{method: "POST", pattern: "/payments/sync", who: secretField, handle: s.syncPayment},
		{method: "GET", pattern: "/payments/{payment_id}", who: either, handle: s.retrievePayment},
		{method: "POST", pattern: "/payments/{payment_id}", who: secretField, handle: s.updatePayment},
		{method: "POST", pattern: "/payments/{payment_id}/update_metadata", who: secretField, handle: s.updateMetadata},
		{method: "POST", pattern: "/payments/{payment_id}/confirm", who: either, handle: s.confirmPayment},
		{method: "POST", pattern: "/payments/{payment_id}/capture", who: secretField, handle: s.capturePayment},
		{method: "POST", pattern: "/payments/{payment_id}/incremental_authorization", who: secretField, handle: s.incrementAuthorization},
		{method: "POST", pattern: "/payments/{payment_id}/extend_authorization", who: secretField, handle: s.extendAuthorization},
		{method: "GET", pattern: "/payments/{payment_id}/extended_card_info", who: secretField, handle: s.extendedCardInfo},
		{method: "POST", pattern: "/payments/{payment_id}/cancel", who: secretField, handle: s.cancelPayment},
		{method: "POST", pattern: "/payments/{payment_id}/cancel_post_capture", who: secretField, handle: s.cancelCaptured},
		{method: "POST", pattern: "/payments/{payment_id}/complete_authorize", who: publishable, handle: s.completeAuthorize},
		{method: "POST", pattern: "/payments/{payment_id}/post_session_tokens", who: publishable, handle: s.postSessionTokens},
		{method: "POST", pattern: "/payments/{payment_id}/calculate_tax", who: publishable, handle: s.calculateTax},
		{method: "POST", pattern: "/payments/{payment_id}/3ds/authentication", who: either, handle: s.authenticatePayment},
		{method: "GET", pattern: "/poll/status/{poll_id}", who: publishable, handle: s.pollStatus},

		// The payer's browser opens these without a key. openRoutes names the guard of each.
		{method: "GET", pattern: redirectPattern, who: open, handle: s.redirectPage},
		{method: "GET", pattern: responsePattern, who: open, handle: s.paymentReturn(false)},
		{method: "POST", pattern: responsePattern, who: open, handle: s.paymentReturn(false)},
		{method: "GET", pattern: returnPattern, who: open, handle: s.paymentReturn(true)},
		{method: "POST", pattern: returnPattern, who: open, handle: s.paymentReturn(true)},
		{method: "GET", pattern: authorizePattern, who: open, handle: s.authorizePage},
		{method: "POST", pattern: authorizePattern, who: open, handle: s.authorizePage},
		{method: "GET", pattern: "/3ds/run/{token}", who: open, handle: s.hostedPage},
		{method: "POST", pattern: "/3ds/run/{token}", who: open, handle: s.hostedSubmit},
		{method: "GET", pattern: "/3ds/run/{token}/state", who: open, handle: s.hostedState},
		{method: "POST", pattern: "/3ds/m/{token}", who: open, handle: s.threeDSMethodEnded},
		{method: "POST", pattern: "/3ds/c/{token}", who: open, handle: s.threeDSChallengeEnded, body: maxChallengeMessage},
		{method: "GET", pattern: "/3ds/c/{token}", who: open, handle: s.threeDSChallengeEnded},
		{method: "POST", pattern: "/3ds/e/{token}", who: open, handle: s.authenticatorEvent, body: maxWebhook},
		{method: "POST", pattern: "/3ds/r/{token}", who: open, handle: s.authenticatorCalled, body: maxWebhook},
		{method: "GET", pattern: "/3ds/f/{token}", who: open, handle: s.methodFrames},
		{method: "POST", pattern: "/3ds/f/{token}", who: open, handle: s.methodFrames},
		{method: "GET", pattern: "/3ds/g/{token}", who: open, handle: s.openChallenge},
		{method: "POST", pattern: "/3ds/g/{token}", who: open, handle: s.openChallenge},

		{method: "GET", pattern: "/account/payment_methods", who: either, handle: s.offeredMethods},
		{method: "GET", pattern: "/payments/{payment_id}/client", who: publishable, handle: s.clientPayment},
		{method: "GET", pattern: "/v1/sdk/configs/web/sdk_config.json", who: publishable, handle: s.sdkConfig},
	}
	for _, method := range []string{"POST", "GET", "PUT"} {
		list = append(list, route{method: method, pattern: webhookPattern, who: open, handle: s.receiveWebhook, body: maxWebhook},
			route{method: method, pattern: relayWebhookPattern, who: open, handle: s.receiveRelayWebhook, body: maxWebhook})
	}
	list = append(list, s.adminRoutes()...)
	list = append(list, s.methodRoutes()...)
	list = append(list, s.sessionRoutes()...)
	list = append(list, s.refundRoutes()...)
	list = append(list, s.disputeRoutes()...)
	list = append(list, s.paymentListRoutes()...)
	list = append(list, s.paymentDecisionRoutes()...)
	list = append(list, s.operatorRoutes()...)
	list = append(list, s.bundleRoutes()...)
	list = append(list, s.linkRoutes()...)
	list = append(list, s.collectRoutes()...)
	list = append(list, s.eventRoutes()...)
	list = append(list, s.routingRoutes()...)
	list = append(list, s.checkoutRoutes()...)
	list = append(list, s.riskRoutes()...)
	list = append(list, s.relayRoutes()...)
	if s.opts.DevPages {
		list = append(list, route{method: "GET", pattern: simulatorPath, who: open, handle: s.simulatorPage})
	}
	return list
}

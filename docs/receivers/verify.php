<?php
// PHP 7 and later. $body is file_get_contents('php://input'), before any JSON parser.
function verify(string $secret, string $body, string $signature): bool
{
    return hash_equals('sha256=' . hash_hmac('sha256', $body, $secret), $signature);
}
